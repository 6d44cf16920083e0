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

import time
from functools import partial

import torch
from layer_step import forward_and_backward, make_pack
from side_by_side import Figures, Step, compare, make_parser, measure_all, milliseconds
from torch import Tensor

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.layer_output import LayerOutput
from skill_plugin.nn.packed_batch import PackedBatch

CORPORA = 8  # segments of the pack, each with a gate of its own for mt_tag
VARIANTS: dict[str, tuple[int, int, str, tuple[str, ...]]] = {
    "mt_switch": (4, 1, "probability", ()),
    "mt_tag": (4, 1, "probability", tuple(f"gate{i}" for i in range(CORPORA))),
    "moe_top2": (10, 2, "renormalised", ()),
}


class MaskLoop(ExpertFeedForward):
    """The same layer with a mask over all tokens for each expert."""

    def forward(self, x: Tensor, batch: PackedBatch) -> LayerOutput:
        routing = self.route(x, batch)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            token, choice = (routing.experts == number).nonzero(as_tuple=True)
            y = expert(x[token]) * routing.weights[token, choice].unsqueeze(1)
            out = out.index_add(0, token, y.to(out.dtype))
        return LayerOutput(out, routing)


def on_device(step: Step) -> float:
    """Seconds that the GPU works on a step; the host is kept ahead of it."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(20_000_000)  # about 10 ms
    start.record()
    step()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1e3


def until_idle(step: Step) -> float:
    """Seconds from an idle GPU to an idle GPU."""
    start = time.perf_counter()
    step()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def measure(variant: str, mode: str, tokens: int, width: int, rounds: int, plain: bool) -> Figures:
    """One variant's layer, or the mask loop, over the dense network."""
    torch.manual_seed(0)
    device = "cpu" if mode == "float32" else "cuda"
    dtype = torch.bfloat16 if mode == "bf16" else torch.float32
    experts, per_token, scale, gates = VARIANTS[variant]
    layer = (MaskLoop if plain else ExpertFeedForward)(width, 4 * width, experts, per_token, scale, gates)
    dense = FeedForward(width, 4 * width * per_token)
    x = torch.randn(tokens, width, device=device, dtype=dtype)
    batch = make_pack(tokens, [ActiveSet((), "en", f"gate{i}") for i in range(CORPORA)], device)
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


def show(figures: Figures) -> str:
    """Both times, and on a GPU the second ratio."""
    idle = f"   until idle {figures['until_idle']['ratio']:6.3f}" if "until_idle" in figures else ""
    return milliseconds(figures, "dense") + idle


def main() -> None:
    parser = make_parser(__doc__, rounds=31)
    parser.add_argument("--no-cpu", action="store_true", help="the GPU alone")
    asked = parser.parse_args()
    places = [] if asked.no_cpu else [("cpu", "float32", 4096, width) for width in (384, 768)]
    if torch.cuda.is_available():
        places += [("cuda", mode, 16384, 768) for mode in ("bf16", "autocast")]
    measurements = {
        f"{place}/{width}/{mode}/{variant}" + "/mask_loop" * plain: partial(
            measure, variant, mode, tokens, width, asked.rounds, plain
        )
        for place, mode, tokens, width in places
        for variant in VARIANTS
        for plain in (False, True)
    }
    measure_all(parser, asked, measurements, show)


if __name__ == "__main__":
    main()
