"""The plan of an epoch: which examples of which corpus form each batch, made before the epoch runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skill_plugin.sampling.epoch_plan import EpochPlan, EpochStart
from skill_plugin.sampling.passes import Indices, Integers, Passes
from skill_plugin.sampling.sampler import Sampler
from skill_plugin.sampling.stream import Stream

# what a stream of random numbers is for; each has its own
_DRAWS, _PASSES = 1, 2
_CHUNK = 1 << 20  # segments that are drawn at once


@dataclass(frozen=True)
class EpochOutline:
    """What is settled about an epoch before its batches are drawn.

    Attributes:
        done: number of updates before it.
        updates: number of its own updates.
        length: segments of a drawn plan (``Sampler.epoch``), or batches of candidates that its corpora have together.
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
        sequences: number of sequences of the examples of each corpus [n_i]; None, or None for a corpus = one each.
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
    sequences: Sequence[Indices | None] | None = None
    corpora_per_batch: int = 1
    update_batches: tuple[int, ...] = (1,)
    frozen_out: Mapping[int, int] = field(default_factory=dict)
    rows: Sequence[int] | None = None

    def plan(self, epoch: int, known: EpochStart | None = None) -> EpochPlan:
        """The batches of an epoch, in order; none where every corpus is frozen out.

        Passes over a corpus go on from epoch to epoch, so that every example of a corpus is drawn equally often.

        Args:
            epoch: counted from 1.
            known: where it begins, as the plan before it says (``EpochPlan.following``), or where an earlier one does.
                The plan is the same without it, but then all earlier epochs are gone through.
        """
        start = self.start(epoch, known)
        outline = self._outline(epoch, start.updates)
        together, batches = self._together(epoch), self.batches_of_an_update(epoch) * outline.updates
        order, lasting = self._order(epoch, outline, together * batches), self._lasting(epoch, outline)
        streams = [Stream(passes, place) for passes, place in zip(self._passes, start.examples, strict=True)]
        return EpochPlan(streams, order, together, lasting, outline.updates, start)

    def start(self, epoch: int, known: EpochStart | None = None) -> EpochStart:
        """Where an epoch begins; ``known`` as for ``plan``."""
        if known is None or known.epoch > epoch:
            known = EpochStart(1, 0, (0,) * len(self.lengths))
        counts, updates = np.zeros(len(self.lengths), np.int64), known.updates
        for number in range(known.epoch, epoch):
            outline = self._outline(number, updates)
            counts += self._count(self._order(number, outline, self._lasting(number, outline)))
            updates += outline.updates
        places = [passes.skip(*one) for passes, *one in zip(self._passes, known.examples, counts.tolist(), strict=True)]
        return EpochStart(epoch, updates, tuple(places))

    def outline(self, epoch: int, known: EpochStart | None = None) -> EpochOutline:
        """What is settled about an epoch, counted from 1, before its batches are drawn; ``known`` as for ``plan``."""
        first, updates = (known.epoch, known.updates) if known is not None and known.epoch <= epoch else (1, 0)
        for number in range(first, epoch):
            updates += self._outline(number, updates).updates
        return self._outline(epoch, updates)

    def without(self, frozen_out: Mapping[int, int]) -> Planner:
        """The planner with other corpora frozen out; what is known of the corpora is shared."""
        other = replace(self, frozen_out=frozen_out)
        other.__dict__["_passes"] = self._passes
        return other

    def batches_of_an_update(self, epoch: int) -> int:
        """Ranks x update-freq in an epoch."""
        return self.update_batches[min(epoch, len(self.update_batches)) - 1]

    @cached_property
    def _passes(self) -> list[Passes]:
        max_tokens = None if self.max_tokens is None else max(1, self.max_tokens // self.corpora_per_batch)
        sequences = [None] * len(self.lengths) if self.sequences is None else self.sequences
        return [
            Passes(lengths, self.batch_size, max_tokens, (self.seed, _PASSES, corpus), counts)
            for corpus, (lengths, counts) in enumerate(zip(self.lengths, sequences, strict=True))
        ]

    def _present(self, epoch: int) -> list[bool]:
        """Which corpora are not frozen out."""
        return [self.frozen_out.get(corpus, epoch + 1) > epoch for corpus in range(len(self.lengths))]

    def _outline(self, epoch: int, done: int) -> EpochOutline:
        present = self._present(epoch)
        batches = [passes.in_order * here for passes, here in zip(self._passes, present, strict=True)]
        length = sum(batches) if self.sampler is None else self.sampler.epoch(batches)
        updates = -(-length // (self.corpora_per_batch * self.batches_of_an_update(epoch)))
        if self.sampler is None or not length:
            return EpochOutline(done, updates, length, None, None)
        rows = [len(lengths) for lengths in self.lengths] if self.rows is None else self.rows
        sizes = [number * here for number, here in zip(rows, present, strict=True)]
        shares = self.sampler.probabilities(sizes, done, updates)
        return EpochOutline(done, updates, length, self.sampler.alpha(done, updates), shares)

    def _candidates(self, epoch: int) -> list[int]:
        """The corpora of a batch of candidates: the next batch of every corpus (CA-MTL, algorithm 2).

        A corpus whose examples are used up begins a new pass, and the last batch of a pass may be smaller.
        """
        return [i for i, here in enumerate(self._present(epoch)) if here and len(self.lengths[i])]

    def _together(self, epoch: int) -> int:
        """Segments of a batch."""
        return self.corpora_per_batch if self.sampler is not None else len(self._candidates(epoch))

    def _lasting(self, epoch: int, outline: EpochOutline) -> int:
        """Segments of an epoch, without those that only make its last update whole."""
        return outline.length if self.sampler is not None else outline.length * self._together(epoch)

    def _order(self, epoch: int, outline: EpochOutline, segments: int) -> Integers:
        """The corpus of each segment of an epoch: drawn, or all in turn; a longer order begins with a shorter one."""
        number_type = np.min_scalar_type(len(self.lengths))
        if segments == 0:
            return np.zeros(0, number_type)
        if self.sampler is None:
            return np.resize(np.array(self._candidates(epoch), number_type), segments)
        assert outline.probabilities is not None
        random, order = np.random.default_rng([self.seed, _DRAWS, epoch]), np.empty(segments, number_type)
        edges = np.cumsum(outline.probabilities)
        for start in range(0, segments, _CHUNK):
            part = order[start : start + _CHUNK]
            part[:] = np.searchsorted(edges / edges[-1], random.random(len(part)), side="right")
        return order

    def _count(self, order: Integers) -> NDArray[np.int64]:
        """Segments of each corpus [corpora]."""
        return np.bincount(order, minlength=len(self.lengths))
