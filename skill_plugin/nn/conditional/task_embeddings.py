"""The table of task embeddings: one named row for each corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from skill_plugin.nn.bank import Bank
from skill_plugin.nn.packed_batch import PackedBatch


def draw_xavier(rows: int, width: int) -> Tensor:
    """Draws a row [D] as of a table of ``rows`` rows that is initialised after Glorot and Bengio (2010).

    It is the other start of a new corpus's embedding beside N(0, 1); table 3.8 compares the two.
    """
    return nn.init.xavier_uniform_(torch.empty(rows, width))[0]


class TaskEmbedding(nn.Module):
    """z of one corpus [D], a parameter of its own, so that only the corpus's segments move it; drawn from N(0, 1).

    Args:
        width: D.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))


class TaskEmbeddings(nn.Module):
    """z of every corpus (section 3.3: an embedding lookup table).

    Args:
        width: D.
        names: names of the rows, of which a segment's active set names one.
    """

    def __init__(self, width: int, names: Sequence[str]) -> None:
        super().__init__()
        self.rows = Bank("embedding", ((name, TaskEmbedding(width)) for name in names))

    def forward(self, batch: PackedBatch) -> Tensor:
        """The K embeddings that the batch needs, in the order of ``batch.active.embedding`` [K, D].

        Raises:
            ValueError: a segment whose active set names no row.
        """
        return torch.stack([cast(TaskEmbedding, row).weight for row in self.rows.named(batch.active.embedding.names)])
