"""The plan of an epoch: which examples of which corpus form each batch, made before the epoch runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skill_plugin.sampling.passes import Indices, Passes

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
        batch_size: sequences that a corpus contributes to a batch.
        max_tokens: real tokens in a batch; None for no bound.
        seed: of the run.
        sequences: for each corpus the sequences of its examples [n_i]; None = one each.
    """

    lengths: Sequence[Indices]
    probabilities: NDArray[np.float64]
    batch_size: int
    max_tokens: int | None
    seed: int
    sequences: Sequence[Indices] | None = None

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
        streams = [iter(self._passes(i).batches(int(seen[i]), int(counts[i]))) for i in range(corpora)]
        return [PlannedBatch(int(corpus), next(streams[corpus])) for corpus in order]

    @cached_property
    def length(self) -> int:
        """Batches that the corpora have together, when each is cut in its own order."""
        return sum(len(self._passes(corpus).in_order()) for corpus in range(len(self.lengths)))

    def _passes(self, corpus: int) -> Passes:
        sequences = None if self.sequences is None else self.sequences[corpus]
        seed = self.seed, _PASSES, corpus
        return Passes(self.lengths[corpus], self.batch_size, self.max_tokens, seed, sequences)

    def _draw(self, epoch: int, count: int | None = None) -> NDArray[np.int64]:
        """The corpus of each batch; a longer draw begins with the shorter one."""
        uniform = np.random.default_rng([self.seed, _DRAWS, epoch]).random(self.length if count is None else count)
        edges = np.cumsum(self.probabilities)
        drawn = np.searchsorted(edges / edges[-1], uniform, side="right")
        return drawn.astype(np.int64)
