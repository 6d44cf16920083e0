"""The plan of an epoch: which examples of which corpus form each batch, made before the epoch runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skill_plugin.sampling.passes import Indices, Passes, cut

# what a stream of random numbers is for; each has its own
_DRAWS, _PASSES = 1, 2


@dataclass(frozen=True)
class PlannedBatch:
    """Examples of one corpus.

    Attributes:
        corpus: its index.
        examples: indices within the corpus.
    """

    corpus: int
    examples: Indices


@dataclass(frozen=True)
class Planner:
    """Makes plans: a pure function of its fields and of the epoch, whatever the number of ranks and workers.

    Attributes:
        lengths: for each corpus the tokens of its examples [n_i].
        probabilities: q_i [corpora].
        batch_size: examples that a corpus contributes to a batch.
        max_tokens: real tokens in a batch; None for no bound.
        seed: of the run.
    """

    lengths: Sequence[Indices]
    probabilities: NDArray[np.float64]
    batch_size: int
    max_tokens: int | None
    seed: int

    def plan(self, epoch: int, multiple: int = 1) -> list[PlannedBatch]:
        """The batches of an epoch, in order.

        As many as the corpora have together, drawn independently with ``probabilities``. Passes over a corpus go on
        from epoch to epoch, so that every example of a corpus is drawn equally often.

        Args:
            epoch: counted from 1.
            multiple: more batches are drawn until the plan is a multiple of this (ranks x update-freq), so that
                every rank has equal work; they do not change later epochs.
        """
        drawn = self._draw(epoch)
        padded = len(drawn) + -len(drawn) % multiple
        corpora = len(self.lengths)
        seen = sum(
            (np.bincount(self._draw(e), minlength=corpora) for e in range(1, epoch)), np.zeros(corpora, np.int64)
        )
        order = self._draw(epoch, padded)
        counts = np.bincount(order, minlength=corpora)
        streams = [
            iter(Passes(lengths, self.batch_size, self.max_tokens, (self.seed, _PASSES, i)).batches(int(s), int(c)))
            for i, (lengths, s, c) in enumerate(zip(self.lengths, seen, counts, strict=True))
        ]
        return [PlannedBatch(int(corpus), next(streams[corpus])) for corpus in order]

    @cached_property
    def length(self) -> int:
        """Batches that the corpora have together, when each is cut in its own order."""
        return sum(
            len(cut(np.arange(len(lengths), dtype=np.int64), lengths, self.batch_size, self.max_tokens))
            for lengths in self.lengths
        )

    def _draw(self, epoch: int, count: int | None = None) -> NDArray[np.int64]:
        """The corpus of each batch; a longer draw begins with the shorter one."""
        uniform = np.random.default_rng([self.seed, _DRAWS, epoch]).random(self.length if count is None else count)
        edges = np.cumsum(self.probabilities)
        drawn = np.searchsorted(edges / edges[-1], uniform, side="right")
        return drawn.astype(np.int64)
