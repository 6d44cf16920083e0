"""Layer normalisation as a slot of a layer."""

from __future__ import annotations

from torch import Tensor, nn

from skill_plugin.nn.packed_batch import PackedBatch


class LayerNorm(nn.LayerNorm):
    """torch's, called as every module of a slot is."""

    def forward(self, x: Tensor, batch: PackedBatch | None = None) -> Tensor:
        """[N, D] -> [N, D]"""
        return super().forward(x)
