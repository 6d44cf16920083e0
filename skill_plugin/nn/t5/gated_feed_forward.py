"""The feed-forward network of T5 1.1 and mT5."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from skill_plugin.nn.dropout import Dropout
from skill_plugin.nn.linear import Linear


class GatedFeedForward(nn.Module):
    """(gelu(x W_g) · x W_l) W_o (GEGLU: Shazeer 2020), with the gelu by tanh, ``gelu_new``, and no biases.

    Attributes:
        fc1: W_g and W_l, one below the other [2 F, D].
        fc2: W_o [D, F].

    Args:
        width: D.
        inner: F.
        dropout: on what W_o is applied to, while training.
    """

    def __init__(self, width: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.fc1 = Linear(width, 2 * inner, bias=False)
        self.fc2 = Linear(inner, width, bias=False)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """[N, D] -> [N, D]"""
        gate, linear = self.fc1(x).chunk(2, -1)
        return self.fc2(self.dropout(F.gelu(gate, approximate="tanh") * linear))
