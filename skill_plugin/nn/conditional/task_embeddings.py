"""The table of task embeddings: one named row for each corpus."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from skill_plugin.nn.conditional.condition import Condition
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
        self.rows = nn.ModuleDict({name: TaskEmbedding(width) for name in names})

    def forward(self, batch: PackedBatch) -> Condition:
        """The embeddings that the batch needs; segments with the same one share a row.

        Raises:
            ValueError: a segment whose active set names no row.
        """
        chosen = [segment.active.embedding for segment in batch.segments]
        for name in chosen:
            if name not in self.rows:
                raise ValueError(f"no task embedding {name!r}; the table has: {', '.join(self.rows)}")
        names = list(dict.fromkeys(chosen))
        z = torch.stack([self._row(name) for name in names])
        if len(names) == 1:
            return Condition(z)
        of_segments = torch.tensor([names.index(name) for name in chosen])
        ends = torch.tensor([segment.end for segment in batch.segments])
        starts = torch.tensor([segment.start for segment in batch.segments])
        lengths = torch.tensor(batch.lengths)
        of_sequences = of_segments[torch.searchsorted(ends, lengths.cumsum(0) - lengths, right=True)]
        of_tokens = of_segments.repeat_interleave(ends - starts)
        return Condition(z, of_tokens.to(z.device), of_sequences.to(z.device))

    def _row(self, name: str) -> Tensor:
        return self.get_parameter(f"rows.{name}.weight")
