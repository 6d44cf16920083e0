"""The relative position biases of one forward pass, which all layers of a stack add."""

from __future__ import annotations

import torch
from torch import Tensor

from skill_plugin.nn.compute_dtype import compute_dtype
from skill_plugin.nn.sequence_layout import SequenceLayout
from skill_plugin.nn.t5.relative_positions import RelativePositions


class PositionBias:
    """An ``AttentionBias`` of H heads, padded once for all layers.

    Args:
        positions: the stack's table.
        x: what its lowest layer reads [N, D].
        layout: where the sequences lie.
        probability: with which the layers drop an attention weight.
    """

    def __init__(self, positions: RelativePositions, x: Tensor, layout: SequenceLayout, probability: float) -> None:
        values, dtype = positions(layout.longest)[None].to(compute_dtype(x)), compute_dtype(x)
        # made here, since layers that are computed once more in the backward pass must find what they found before
        self._views = layout.attended(probability).groups
        self._made: dict[int, Tensor] = {}
        for view in self._views:
            cut, padding = values[:, :, : view.columns, : view.columns], view.padding(dtype)
            self._made[id(view.members)] = cut if padding is None else cut + padding

    def padded(self, members: Tensor | None, columns: int, padding: Tensor | None, dtype: torch.dtype) -> Tensor:
        """[s or 1, H, L, L]"""
        return self._made[id(members)].to(dtype)
