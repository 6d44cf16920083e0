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
class PlannedPart:
    """Examples of one corpus, which form a segment of a pack.

    Attributes:
        corpus: its index.
        examples: indices within the corpus.
    """

    corpus: int
    examples: Indices


@dataclass(frozen=True)
class PlannedBatch:
    """What is read together.

    Attributes:
        parts: one for each draw of a corpus; two draws of the same corpus are two parts.
    """

    parts: tuple[PlannedPart, ...]


@dataclass(frozen=True)
class Planner:
    """Makes plans: a pure function of its fields and of the epoch, whatever the number of ranks and workers.

    Attributes:
        lengths: for each corpus the tokens of its examples [n_i].
        probabilities: q_i [corpora]; None for batches of candidates, which hold a part of every corpus.
        batch_size: sequences that a corpus contributes to a batch.
        max_tokens: real tokens in a batch, of which each of its parts may have an equal share; None for no bound.
        seed: of the run.
        sequences: for each corpus the sequences of its examples [n_i]; None = one each.
        corpora_per_batch: K draws of a corpus form a batch.
    """

    lengths: Sequence[Indices]
    probabilities: NDArray[np.float64] | None
    batch_size: int
    max_tokens: int | None
    seed: int
    sequences: Sequence[Indices] | None = None
    corpora_per_batch: int = 1

    def plan(self, epoch: int, multiple: int = 1) -> list[PlannedBatch]:
        """The batches of an epoch, in order.

        Passes over a corpus go on from epoch to epoch, so that every example of a corpus is drawn equally often.

        Args:
            epoch: counted from 1.
            multiple: more is drawn until the plan is a multiple of this (ranks x update-freq) and its last batch is
                whole, so that every rank has equal work; it does not change later epochs.
        """
        return self._drawn(epoch, multiple) if self.probabilities is not None else self._candidates(epoch, multiple)

    def _drawn(self, epoch: int, multiple: int) -> list[PlannedBatch]:
        """As many parts as the corpora have batches together, drawn independently, K of them in a batch."""
        size, corpora = self.corpora_per_batch, len(self.lengths)
        drawn = self._draw(epoch)
        padded = len(drawn) + -len(drawn) % (multiple * size)
        seen = sum(
            (np.bincount(self._draw(e), minlength=corpora) for e in range(1, epoch)), np.zeros(corpora, np.int64)
        )
        order = self._draw(epoch, padded)
        counts = np.bincount(order, minlength=corpora)
        streams = [iter(self._passes(i).batches(int(seen[i]), int(counts[i]))) for i in range(corpora)]
        parts = [PlannedPart(int(corpus), next(streams[corpus])) for corpus in order]
        return [PlannedBatch(tuple(parts[i : i + size])) for i in range(0, len(parts), size)]

    def _candidates(self, epoch: int, multiple: int) -> list[PlannedBatch]:
        """As many batches as the corpora have together, each of the next batch of every corpus (CA-MTL, algorithm 2).

        A corpus whose examples are used up begins a new pass, and the last batch of a pass may be smaller.
        """
        count = self.length + -self.length % multiple
        found = [i for i, lengths in enumerate(self.lengths) if len(lengths)]
        streams = [self._passes(i).batches((epoch - 1) * self.length, count) for i in found]
        return [
            PlannedBatch(tuple(PlannedPart(i, examples) for i, examples in zip(found, batches, strict=True)))
            for batches in zip(*streams, strict=True)
        ]

    @cached_property
    def length(self) -> int:
        """Batches that the corpora have together, when each is cut in its own order."""
        return sum(len(self._passes(corpus).in_order()) for corpus in range(len(self.lengths)))

    def _passes(self, corpus: int) -> Passes:
        sequences = None if self.sequences is None else self.sequences[corpus]
        seed = self.seed, _PASSES, corpus
        max_tokens = None if self.max_tokens is None else max(1, self.max_tokens // self.corpora_per_batch)
        return Passes(self.lengths[corpus], self.batch_size, max_tokens, seed, sequences)

    def _draw(self, epoch: int, count: int | None = None) -> NDArray[np.int64]:
        """The corpus of each part; a longer draw begins with the shorter one."""
        assert self.probabilities is not None
        uniform = np.random.default_rng([self.seed, _DRAWS, epoch]).random(self.length if count is None else count)
        edges = np.cumsum(self.probabilities)
        drawn = np.searchsorted(edges / edges[-1], uniform, side="right")
        return drawn.astype(np.int64)
