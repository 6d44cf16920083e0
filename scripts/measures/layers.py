"""Layers of skills and of experts, forward and backward, over one dense feed-forward network of the same FLOPs.

On the CPU 4,096 tokens of width 384 and 768 in float32; on a GPU 16,384 tokens of width 768 in bfloat16 (weights too)
and under autocast (float32 weights, as ``--autocast bf16`` trains), of which the first number is the device's time
alone, and ``idle`` the time from an idle device to an idle device.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch
from torch import nn

from measures.asked import Asked, Cases
from measures.figure import Figure, Reach, at_most
from measures.layer_step import forward_and_backward, make_pack
from measures.timing import compare, on_device, until_idle
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.skills.feed_forward import SkillFeedForward

CORPORA = 8  # segments of the pack, each with a gate of its own for mt_tag
EXPERTS: dict[str, tuple[int, int, str, tuple[str, ...]]] = {
    "mt_switch": (4, 1, "probability", ()),
    "mt_tag": (4, 1, "probability", tuple(f"gate{i}" for i in range(CORPORA))),
    "moe_top2": (10, 2, "renormalised", ()),
}
SKILLS_REACH = {1: 1.03, 3: 0.95, 5: 0.95}  # on the CPU
PACK = ("abc", "abc", "abc", "ab", "abd", "abce", "abcf", "abg")  # 7 skills in 8 segments, much as in GLUE


class Bench:
    """Compares a layer with a dense one.

    Args:
        asked: on which device, how often.
        width: of the hidden states.
        mode: float32, bf16 or autocast.
    """

    def __init__(self, asked: Asked, width: int, mode: str) -> None:
        torch.manual_seed(0)
        self.gpu, self.mode, self.rounds = asked.device == "cuda", mode, asked.comparisons
        self.tokens = 64 if asked.tiny else 16384 if self.gpu else 4096
        self.place = {"device": asked.device, "dtype": torch.bfloat16 if mode == "bf16" else torch.float32}
        self.width = width

    def pack(self, active: list[ActiveSet]) -> PackedBatch:
        return make_pack(self.tokens, active, self.place["device"])

    def over_dense(
        self, layer: nn.Module, batch: PackedBatch, inner: int, what: str, reach: Reach | None, idle: Reach | None
    ) -> Iterator[Figure]:
        """The layer over a dense one of that inner width; on a GPU with the time from idle too."""
        x = torch.randn(self.tokens, self.width, **self.place)
        modules = (layer.to(**self.place), FeedForward(self.width, inner).to(**self.place))
        ours, theirs = (forward_and_backward(one, x, batch, self.mode == "autocast") for one in modules)
        for step in (ours, theirs) * 3 * self.gpu:
            step()
        if not self.gpu:
            yield compare(ours, theirs, self.rounds).figure(what, reach)
            return
        yield compare(ours, theirs, self.rounds, on_device).figure(f"{what}, on the device", reach)
        yield compare(ours, theirs, self.rounds, until_idle).figure(f"{what}, from idle", idle, "idle")


def skills(asked: Asked, width: int, mode: str, k: int) -> Iterator[Figure]:
    """K active skills against a dense network K times as wide."""
    bench, names = Bench(asked, width, mode), [f"skill{i}" for i in range(k)]
    reach = at_most(SKILLS_REACH[k]) if not bench.gpu else None
    yield from bench.over_dense(
        SkillFeedForward(width, 4 * width, names), bench.pack([ActiveSet(tuple(names), "en")]), 4 * width * k,
        f"feed-forward networks of {k} skill{'s' * (k > 1)} over one {k} times as wide, width {width}, {mode}",
        reach, None,
    )  # fmt: skip


def skill_pack(asked: Asked, width: int, mode: str) -> Iterator[Figure]:
    """A pack of 8 segments with 2 to 4 of 7 skills each, against a dense network of the mean width."""
    bench = Bench(asked, width, mode)
    yield from bench.over_dense(
        SkillFeedForward(width, 4 * width, sorted(set("".join(PACK)))),
        bench.pack([ActiveSet(tuple(active), "en") for active in PACK]),
        4 * width * sum(map(len, PACK)) // len(PACK),
        f"feed-forward networks of 7 skills, 2 to 4 in each of 8 segments, over dense, width {width}, {mode}",
        None, None,
    )  # fmt: skip


def experts(asked: Asked, width: int, mode: str, variant: str) -> Iterator[Figure]:
    """A layer of experts against a dense network k times as wide for k experts a token."""
    bench = Bench(asked, width, mode)
    number, per_token, scale, gates = EXPERTS[variant]
    asks = mode == "bf16"
    yield from bench.over_dense(
        ExpertFeedForward(width, 4 * width, number, per_token, scale, gates),
        bench.pack([ActiveSet((), "en", f"gate{i}") for i in range(CORPORA)]), 4 * width * per_token,
        f"experts of `{variant}` over dense of the same FLOPs, width {width}, {mode}",
        at_most(1.5) if asks else None, at_most(1.7) if asks else None,
    )  # fmt: skip


def cases(asked: Asked) -> Cases:
    gpu = asked.device == "cuda"
    widths = (64,) if asked.tiny else (768,) if gpu else (384, 768)
    modes = ("bf16", "autocast") if gpu else ("float32",)
    found: Cases = {}
    for width in widths:
        for mode in modes:
            for k in SKILLS_REACH:
                found[f"layers/skills/{width}/{mode}/k{k}"] = partial(skills, asked, width, mode, k)
            found[f"layers/skills/{width}/{mode}/pack"] = partial(skill_pack, asked, width, mode)
            for variant in EXPERTS:
                found[f"layers/experts/{width}/{mode}/{variant}"] = partial(experts, asked, width, mode, variant)
    return found
