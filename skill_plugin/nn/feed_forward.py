"""The position-wise feed-forward network of a Transformer layer."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from skill_plugin.nn.linear import Linear
from skill_plugin.nn.packed_batch import PackedBatch


class FeedForward(nn.Module):
    """gelu(x W_1 + b_1) W_2 + b_2 (SkillNet-X, equation 2, with the gelu of the pretrained encoders for its ReLU).

    Args:
        width: D.
        inner: F.
    """

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.fc1 = Linear(width, inner)
        self.fc2 = Linear(inner, width)

    def forward(self, x: Tensor, batch: PackedBatch | None = None) -> Tensor:
        """[N, D] -> [N, D]"""
        return self.fc2(F.gelu(self.fc1(x)))
