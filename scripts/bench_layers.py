#!/usr/bin/env python3
"""Times layers of experts, forward and backward, over one dense feed-forward network of the same FLOPs and tokens.

    .venv/bin/python scripts/bench_layers.py [--only NAME…] [--rounds N] [--json FILE]

Medians of the rounds' ratios, measured in turns in this process; below 1 the experts are faster. Dense is k times as
wide for k experts a token. On the CPU 4,096 tokens of width 384 and 768 in float32; on a GPU 16,384 tokens of width
768, in bfloat16 (weights too) and under autocast (float32 weights, as `--autocast bf16` trains). ``mask_loop`` is the
plain way, for comparison: for each expert a mask over all tokens. Nothing else should run on the machine meanwhile.

On a GPU there are two figures. The first is the device's time: events around a step that was queued in full before it
began, as within a deep network. The second is the time from an idle device to an idle device, which counts what the
host needs to launch the step's kernels as well.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from side_by_side import Figures, compare
from torch import Tensor, nn

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.packed_batch import PackedBatch, Segment

CORPORA = 8  # segments of the pack, each with a gate of its own for mt_tag
VARIANTS: dict[str, tuple[int, int, str, tuple[str, ...]]] = {
    "mt_switch": (4, 1, "probability", ()),
    "mt_tag": (4, 1, "probability", tuple(f"gate{i}" for i in range(CORPORA))),
    "moe_top2": (10, 2, "renormalised", ()),
}


class MaskLoop(ExpertFeedForward):
    """The same layer with a mask over all tokens for each expert."""

    def forward(self, x: Tensor, batch: PackedBatch) -> Tensor:
        routing = self.route(x, batch)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            token, choice = (routing.experts == number).nonzero(as_tuple=True)
            y = expert(x[token]) * routing.weights[token, choice].unsqueeze(1)
            out = out.index_add(0, token, y.to(out.dtype))
        return out


def pack_of(tokens: int, device: str) -> PackedBatch:
    """A pack of segments of equal length; only its segments are read."""
    empty, each = torch.zeros(0, dtype=torch.int64), tokens // CORPORA
    segments = [Segment(ActiveSet((), "en", f"gate{i}"), "head", i * each, (i + 1) * each) for i in range(CORPORA)]
    return PackedBatch(empty.to(device), empty, None, [tokens], segments, [empty] * CORPORA)


def forward_and_backward(module: nn.Module, x: Tensor, batch: PackedBatch, autocast: bool) -> Callable[[], object]:
    """One step, ready to be timed."""
    x = x.detach().requires_grad_()
    context = torch.autocast(x.device.type, torch.bfloat16) if autocast else contextlib.nullcontext()
    with torch.no_grad(), context:
        grad = torch.randn_like(module(x, batch))

    def step() -> None:
        module.zero_grad(set_to_none=True)
        x.grad = None
        with torch.autocast(x.device.type, torch.bfloat16) if autocast else contextlib.nullcontext():
            out = module(x, batch)
        out.backward(grad)

    return step


def on_device(step: Callable[[], object]) -> float:
    """Seconds that the GPU works on a step; the host is kept ahead of it."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(20_000_000)  # about 10 ms
    start.record()
    step()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1e3


def until_idle(step: Callable[[], object]) -> float:
    """Seconds from an idle GPU to an idle GPU."""
    start = time.perf_counter()
    step()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def measure(variant: str, mode: str, tokens: int, width: int, rounds: int, plain: bool) -> dict[str, Any]:
    """One variant's layer, or the mask loop, over the dense network."""
    torch.manual_seed(0)
    device = "cpu" if mode == "float32" else "cuda"
    dtype = torch.bfloat16 if mode == "bf16" else torch.float32
    experts, per_token, scale, gates = VARIANTS[variant]
    layer = (MaskLoop if plain else ExpertFeedForward)(width, 4 * width, experts, per_token, scale, gates)
    dense = FeedForward(width, 4 * width * per_token)
    x, batch = torch.randn(tokens, width, device=device, dtype=dtype), pack_of(tokens, device)
    steps = [forward_and_backward(m.to(device, dtype), x, batch, mode == "autocast") for m in (layer, dense)]
    for _ in range(3):
        for step in steps:
            step()
    if device == "cpu":
        return compare(steps[0], steps[1], rounds)
    return {
        **compare(steps[0], steps[1], rounds, on_device),
        "until_idle": compare(steps[0], steps[1], rounds, until_idle),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", help="beginnings of names, e.g. cpu/384/mt_tag")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--no-cpu", action="store_true", help="the GPU alone")
    arguments = parser.parse_args()
    places = [] if arguments.no_cpu else [("cpu", "float32", 4096, width) for width in (384, 768)]
    if torch.cuda.is_available():
        places += [("cuda", mode, 16384, 768) for mode in ("bf16", "autocast")]
    figures = Figures()
    for place, mode, tokens, width in places:
        for variant in VARIANTS:
            for plain in (False, True):
                name = f"{place}/{width}/{mode}/{variant}" + "/mask_loop" * plain
                if arguments.only and not any(name.startswith(only) for only in arguments.only):
                    continue
                details = measure(variant, mode, tokens, width, arguments.rounds, plain)
                seconds = f"{details['seconds'] * 1e3:9.3f} ms, dense {details['seconds_compared'] * 1e3:9.3f} ms"
                idle = f"   until idle {details['until_idle']['ratio']:6.3f}" if "until_idle" in details else ""
                figures.add(name, details, seconds + idle, width=42)
    if not figures:
        parser.error("nothing to measure")
    figures.write(arguments.json)


if __name__ == "__main__":
    main()
