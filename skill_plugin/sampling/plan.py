"""The plan of an epoch: which examples of which corpus form each batch, made before the epoch runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skill_plugin.sampling.passes import Indices, Passes
from skill_plugin.sampling.sampler import Sampler

# what a stream of random numbers is for; each has its own
_DRAWS, _PASSES = 1, 2


@dataclass(frozen=True)
class PlannedSegment:
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
        segments: one for each draw of a corpus; two draws of the same corpus are two segments.
    """

    segments: tuple[PlannedSegment, ...]


@dataclass(frozen=True)
class EpochOutline:
    """What is settled about an epoch before its batches are drawn.

    Attributes:
        done: number of updates before it.
        updates: number of its own updates.
        length: segments (of a drawn plan) or batches (of candidates) that its corpora have together.
        alpha: exponent of the sampler; None where it has none.
        probabilities: q_i [corpora], 0 for one that is frozen out; None for batches of candidates.
    """

    done: int
    updates: int
    length: int
    alpha: float | None
    probabilities: NDArray[np.float64] | None


@dataclass(frozen=True)
class Planner:
    """Makes plans: a pure function of its fields and of the epoch, whatever the number of workers.

    Attributes:
        lengths: tokens of the examples of each corpus [n_i].
        sampler: draws the corpus of each segment; None for batches of candidates, which hold a segment of every corpus.
        batch_size: sequences that a corpus contributes to a batch.
        max_tokens: real tokens in a batch, of which each of its segments may have an equal share; None for no bound.
        seed: seed of the run.
        sequences: number of sequences of the examples of each corpus [n_i]; None = one each.
        corpora_per_batch: K draws of a corpus form a batch.
        update_batches: batches of an update (ranks x update-freq) in the first epoch, in the second …; the last number
            holds for all that follow. More is drawn until an epoch's last update is whole, so that every rank has
            equal work; it does not change later epochs.
        frozen_out: the first epoch without it, for corpora that are left out from then on; their part of the
            probabilities goes to the others, in proportion to theirs.
        rows: size of each corpus for the sampler; None = as many as its examples.
    """

    lengths: Sequence[Indices]
    sampler: Sampler | None
    batch_size: int
    max_tokens: int | None
    seed: int
    sequences: Sequence[Indices] | None = None
    corpora_per_batch: int = 1
    update_batches: tuple[int, ...] = (1,)
    frozen_out: Mapping[int, int] = field(default_factory=dict)
    rows: Sequence[int] | None = None

    def plan(self, epoch: int) -> list[PlannedBatch]:
        """The batches of an epoch, in order; none where every corpus is frozen out.

        Passes over a corpus go on from epoch to epoch, so that every example of a corpus is drawn equally often.

        Args:
            epoch: counted from 1.
        """
        return self._drawn(epoch) if self.sampler is not None else self._candidates(epoch)

    def outline(self, epoch: int) -> EpochOutline:
        """What is settled about an epoch, counted from 1, before its batches are drawn."""
        return self._outlines(epoch)[-1]

    def _outlines(self, last: int) -> list[EpochOutline]:
        """The epochs from the first to ``last``: when one begins follows from those before it."""
        outlines: list[EpochOutline] = []
        done = 0
        for number in range(1, last + 1):
            present = [self.frozen_out.get(corpus, number + 1) > number for corpus in range(len(self.lengths))]
            length = int(self._batches[present].sum())
            updates = -(-length // (self.corpora_per_batch * self.batches_of_an_update(number)))
            alpha, shares = None, None
            if self.sampler is not None and length:
                rows = [len(lengths) for lengths in self.lengths] if self.rows is None else self.rows
                sizes = [number * here for number, here in zip(rows, present, strict=True)]
                alpha = self.sampler.alpha(done, updates)
                shares = self.sampler.probabilities(sizes, done, updates)
            outlines.append(EpochOutline(done, updates, length, alpha, shares))
            done += updates
        return outlines

    def batches_of_an_update(self, epoch: int) -> int:
        """Ranks x update-freq in an epoch."""
        return self.update_batches[min(epoch, len(self.update_batches)) - 1]

    def _drawn(self, epoch: int) -> list[PlannedBatch]:
        """As many segments as the corpora have batches together, drawn independently, K of them in a batch."""
        size, corpora = self.corpora_per_batch, len(self.lengths)
        outlines = self._outlines(epoch)
        seen = np.zeros(corpora, np.int64)
        for number, earlier in enumerate(outlines[:-1], 1):
            seen += np.bincount(self._draw(number, earlier, earlier.length), minlength=corpora)
        order = self._draw(epoch, outlines[-1], outlines[-1].updates * self.batches_of_an_update(epoch) * size)
        counts = np.bincount(order, minlength=corpora)
        streams = [iter(self._passes(i).batches(int(seen[i]), int(counts[i]))) for i in range(corpora)]
        segments = [PlannedSegment(int(corpus), next(streams[corpus])) for corpus in order]
        return [PlannedBatch(tuple(segments[i : i + size])) for i in range(0, len(segments), size)]

    def _candidates(self, epoch: int) -> list[PlannedBatch]:
        """As many batches as the corpora have together, each of the next batch of every corpus (CA-MTL, algorithm 2).

        A corpus whose examples are used up begins a new pass, and the last batch of a pass may be smaller.
        """
        *earlier, now = self._outlines(epoch)
        start, count = sum(one.length for one in earlier), now.updates * self.batches_of_an_update(epoch)
        found = [i for i, n in enumerate(self.lengths) if len(n) and self.frozen_out.get(i, epoch + 1) > epoch]
        streams = [self._passes(i).batches(start, count) for i in found]
        return [
            PlannedBatch(tuple(PlannedSegment(i, examples) for i, examples in zip(found, batches, strict=True)))
            for batches in zip(*streams, strict=True)
        ]

    @cached_property
    def _batches(self) -> Indices:
        """Batches of each corpus when it is cut in its own order [corpora]."""
        return np.array([len(self._passes(corpus).in_order()) for corpus in range(len(self.lengths))], np.int64)

    def _passes(self, corpus: int) -> Passes:
        sequences = None if self.sequences is None else self.sequences[corpus]
        seed = self.seed, _PASSES, corpus
        max_tokens = None if self.max_tokens is None else max(1, self.max_tokens // self.corpora_per_batch)
        return Passes(self.lengths[corpus], self.batch_size, max_tokens, seed, sequences)

    def _draw(self, number: int, epoch: EpochOutline, count: int) -> NDArray[np.int64]:
        """The corpus of each segment; a longer draw begins with the shorter one."""
        if count == 0:
            return np.zeros(0, np.int64)
        assert epoch.probabilities is not None
        uniform = np.random.default_rng([self.seed, _DRAWS, number]).random(count)
        edges = np.cumsum(epoch.probabilities)
        drawn = np.searchsorted(edges / edges[-1], uniform, side="right")
        return drawn.astype(np.int64)
