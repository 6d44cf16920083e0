"""A step of one layer: a pack, and forward and backward on it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from measures.timing import Step
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.layer_output import LayerOutput
from skill_plugin.nn.packed_batch import PackedBatch, Segment


def make_pack(tokens: int, active: Sequence[ActiveSet], device: str = "cpu") -> PackedBatch:
    """A pack of one segment of equal length for each active set; only its segments are read."""
    empty, each = torch.zeros(0, dtype=torch.int64), tokens // len(active)
    segments = [Segment(one, "head", i * each, (i + 1) * each) for i, one in enumerate(active)]
    return PackedBatch(empty.to(device), empty, None, [tokens], segments, [empty] * len(active))


def hidden_states(module: nn.Module, x: Tensor, batch: PackedBatch) -> Tensor:
    """What a slot's module gives [N, D], whether it tells more or not."""
    out = module(x, batch)
    return out.hidden if isinstance(out, LayerOutput) else out  # type: ignore[no-any-return]


def forward_and_backward(module: nn.Module, x: Tensor, batch: PackedBatch, autocast: bool = False) -> Step:
    """One step of a layer, ready to be timed.

    Args:
        module: ``(x [N, D], batch)`` to [N, D].
        x: [N, D].
        batch: its N tokens.
        autocast: to bfloat16.
    """
    x = x.detach().requires_grad_()
    context = torch.autocast(x.device.type, torch.bfloat16, enabled=autocast)
    with torch.no_grad(), context:
        grad = torch.randn_like(hidden_states(module, x, batch))

    def step() -> None:
        module.zero_grad(set_to_none=True)
        x.grad = None
        with context:
            out = hidden_states(module, x, batch)
        out.backward(grad)

    return step
