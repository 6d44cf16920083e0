"""Conditional attention: a matrix that depends on the task embedding alone is added to the attention logits."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from skill_plugin.nn.attention import SelfAttention
from skill_plugin.nn.conditional.conditioned_batch import condition_of
from skill_plugin.nn.conditional.modulation import Modulation
from skill_plugin.nn.initialise import STANDARD_DEVIATION
from skill_plugin.nn.logit_bias import LogitBias
from skill_plugin.nn.packed_batch import PackedBatch


class BlockDiagonal(nn.Module):
    """M(z) = A'_1(z) ⊕ … ⊕ A'_N(z) with A'_n(z) = A_n γ(z) + β(z), cut to L x L (section 3.3.1, 3.7.6).

    γ and β have one element for each element of a block, and all blocks share them. N = 1 is full-block attention.

    Args:
        width: D.
        length: L, positions that M has rows and columns for.
        blocks: N; a block has ⌈L / N⌉ rows and columns.
    """

    def __init__(self, width: int, length: int, blocks: int) -> None:
        super().__init__()
        self.length, self.side = length, -(-length // blocks)
        # rounding up may leave nothing of L for the last ones
        self.blocks = nn.Parameter(torch.empty(-(-length // self.side), self.side, self.side))
        nn.init.normal_(self.blocks, std=STANDARD_DEVIATION)
        self.modulation = Modulation(width, self.side**2)

    def forward(self, z: Tensor, longest: int) -> Tensor:
        """[K, D] -> M(z) for the first positions [K, m, m], m = min(L, longest), float32."""
        size = min(self.length, longest)
        count, side = -(-size // self.side), self.side  # the blocks further on are not needed
        scale, shift = (values.view(len(z), 1, side, side) for values in self.modulation(z))
        blocks = torch.addcmul(shift, scale, self.blocks[:count].float())
        whole = blocks.new_zeros(len(z), count, side, count, side)
        whole.diagonal(dim1=1, dim2=3).copy_(blocks.permute(0, 2, 3, 1))
        return whole.view(len(z), count * side, count * side)[:, :size, :size]


class ConditionalAttention(SelfAttention):
    """softmax(M(z) + Q K^T / √d) V, M the same for all heads (section 3.3.1, figure 3.2).

    M counts positions from the beginning of each sequence. Positions from L on have nothing added.

    Args:
        width: D.
        heads: H.
        dropout: on the attention weights, while training.
        length: L.
        full_block: one block of L x L in place of N = D // L blocks.
    """

    def __init__(self, width: int, heads: int, dropout: float, length: int, full_block: bool) -> None:
        super().__init__(width, heads, dropout)
        self.matrix = BlockDiagonal(width, length, blocks=1 if full_block else max(1, width // length))

    def forward(self, x: Tensor, batch: PackedBatch) -> Tensor:
        """[N, D] -> [N, D]"""
        condition = condition_of(batch)
        bias = LogitBias(self.matrix(condition.z, batch.layout.longest), condition.sequences)
        attended = batch.layout.attend(self.qkv(x), self.heads, self.dropout if self.training else 0.0, bias)
        return self.output(attended)
