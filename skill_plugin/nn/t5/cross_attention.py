"""The decoder's attention to the encoder's hidden states."""

from __future__ import annotations

from torch import Tensor, nn

from skill_plugin.nn.linear import Linear
from skill_plugin.nn.t5.cross_layout import CrossLayout


class CrossAttention(nn.Module):
    """softmax(Q K^T) V W^O, with queries of target tokens, and keys and values of source tokens.

    Args:
        width, heads, columns, dropout: as for ``T5SelfAttention``.
    """

    def __init__(self, width: int, heads: int, columns: int, dropout: float) -> None:
        super().__init__()
        self.query = Linear(width, heads * columns, bias=False)
        self.key_value = Linear(width, 2 * heads * columns, bias=False)
        self.output = Linear(heads * columns, width, bias=False)
        self.heads, self.dropout = heads, dropout

    def forward(self, x: Tensor, states: Tensor, layout: CrossLayout) -> Tensor:
        """Target tokens [M, D], and hidden states of the source tokens [N, D] -> [M, D]."""
        return self.attend(x, self.key_value(states), layout)

    def attend(self, x: Tensor, key_value: Tensor, layout: CrossLayout) -> Tensor:
        """``forward`` from what ``key_value`` gave, [N, 2 H d]."""
        dropout = self.dropout if self.training else 0.0
        return self.output(layout.attend(self.query(x), key_value, self.heads, dropout))
