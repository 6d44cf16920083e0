"""T5's self-attention: no biases, logits that are not divided by √d, and heads that need not add up to the width."""

from __future__ import annotations

from torch import Tensor, nn

from skill_plugin.nn.linear import Linear
from skill_plugin.nn.sequence_layout import SequenceLayout
from skill_plugin.nn.t5.position_bias import PositionBias


class T5SelfAttention(nn.Module):
    """softmax(Q K^T + B) V W^O, with one projection for Q, K and V together.

    Args:
        width: D.
        heads: H.
        columns: d, of each head.
        dropout: on the attention weights, while training.
    """

    def __init__(self, width: int, heads: int, columns: int, dropout: float) -> None:
        super().__init__()
        self.qkv = Linear(width, 3 * heads * columns, bias=False)
        self.output = Linear(heads * columns, width, bias=False)
        self.heads, self.dropout = heads, dropout

    def forward(self, x: Tensor, layout: SequenceLayout, bias: PositionBias) -> Tensor:
        """[N, D] -> [N, D]"""
        attended = layout.attend(self.qkv(x), self.heads, self.probability, bias, scale=1.0)
        return self.output(attended)

    @property
    def probability(self) -> float:
        """With which an attention weight is dropped now."""
        return self.dropout if self.training else 0.0
