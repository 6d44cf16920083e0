"""Multi-head self-attention over packed sequences."""

from __future__ import annotations

from torch import Tensor, nn

from skill_plugin.nn.linear import Linear
from skill_plugin.nn.packed_batch import PackedBatch


class SelfAttention(nn.Module):
    """Attention(Q W^Q, K W^K, V W^V) W^O (SkillNet-X, equation 1), with one projection for Q, K and V together.

    Args:
        width: D.
        heads: H, a divisor of D.
        dropout: on the attention weights, while training.
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.qkv = Linear(width, 3 * width)
        self.output = Linear(width, width)
        self.heads, self.dropout = heads, dropout

    def forward(self, x: Tensor, batch: PackedBatch) -> Tensor:
        """[N, D] -> [N, D]"""
        attended = batch.layout.attend(self.qkv(x), self.heads, self.dropout if self.training else 0.0)
        return self.output(attended)
