"""The relative position biases of one forward pass, which all layers of a stack add."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from skill_plugin.nn.compute_dtype import compute_dtype
from skill_plugin.nn.sequence_layout import SequenceLayout
from skill_plugin.nn.t5.relative_positions import RelativePositions

ALIGNED = 8  # rows begin at multiples of so many columns; a GPU's kernel would copy others so in each layer


class PositionBias:
    """An ``AttentionBias`` of H heads, padded once for all layers.

    Args:
        positions: the stack's table.
        x: what its lowest layer reads [N, D].
        layout: where the sequences lie.
        probability: with which the layers drop an attention weight.
    """

    def __init__(self, positions: RelativePositions, x: Tensor, layout: SequenceLayout, probability: float) -> None:
        dtype, longest = compute_dtype(x), layout.longest
        values = F.pad(positions(longest)[None].to(dtype), (0, -longest % ALIGNED))
        # made here, since layers that are computed once more in the backward pass must find what they found before
        self._views = layout.attended(probability).views
        self._made: dict[int, Tensor] = {}
        for view in self._views:
            room, padding = -view.columns % ALIGNED, view.padding(dtype)
            made = values[:, :, : view.columns, : view.columns + room]
            made = made if padding is None else made + F.pad(padding, (0, room))
            self._made[id(view.members)] = made[..., : view.columns]

    def padded(self, members: Tensor | None, columns: int, padding: Tensor | None, dtype: torch.dtype) -> Tensor:
        """[s or 1, H, L, L]"""
        return self._made[id(members)].to(dtype)
