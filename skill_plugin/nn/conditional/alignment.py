"""Alignment of the corpora between the embeddings and the first layer: one matrix for all of them, or one for each."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from skill_plugin.nn.bank import Bank
from skill_plugin.nn.conditional.linear import ConditionalLinear
from skill_plugin.nn.linear import linear
from skill_plugin.nn.packed_batch import PackedBatch


class ConditionalAlignment(ConditionalLinear):
    """E(x) R^(z) (section 3.3.1, equation 3.2); R starts as the identity, so that pretraining survives.

    Args:
        width: D.
    """

    def __init__(self, width: int) -> None:
        super().__init__(width, width, width, std=0.0)
        nn.init.eye_(self.weight)


class AlignmentMatrix(nn.Module):
    """R of one corpus, as of a linear map [D, D], which starts as the identity.

    Args:
        width: D.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.eye(width))


class SeparateAlignment(nn.Module):
    """E(x) R_t with a matrix of its own for each corpus t, which section 3.3.1 compares with one for all.

    No task embedding modulates them.

    Args:
        width: D.
        names: of the corpora, as of the task embeddings.
    """

    def __init__(self, width: int, names: Sequence[str]) -> None:
        super().__init__()
        self.rows = Bank("embedding", ((name, AlignmentMatrix(width)) for name in names))

    def matrix(self, name: str) -> Tensor:
        """R_t, as of a linear map [D, D].

        Raises:
            ValueError: no corpus of that name has one.
        """
        (row,) = self.rows.named([name])
        return row.get_parameter("weight")

    def forward(self, x: Tensor, batch: PackedBatch) -> Tensor:
        """[N, D] -> [N, D], each segment by the matrix of its corpus."""
        parts = [linear(x[one.start : one.end], self.matrix(one.active.embedding)) for one in batch.segments]
        return parts[0] if len(parts) == 1 else torch.cat(parts)
