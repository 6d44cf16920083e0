"""The batches of one epoch, held in arrays: a batch is made when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from skill_plugin.sampling.passes import Integers
from skill_plugin.sampling.stream import Stream

_CHUNK = 1 << 13  # segments: before each so many, how many each corpus has had is kept


@dataclass(frozen=True)
class PlannedSegment:
    """Examples of one corpus, which form a segment of a pack.

    Attributes:
        corpus: its index.
        examples: indices within the corpus.
    """

    corpus: int
    examples: Integers


@dataclass(frozen=True)
class PlannedBatch:
    """What is read together.

    Attributes:
        segments: one for each draw of a corpus; two draws of the same corpus are two segments.
    """

    segments: tuple[PlannedSegment, ...]


@dataclass(frozen=True)
class EpochStart:
    """Where an epoch begins: how far those before it have come.

    Attributes:
        epoch: number of the epoch, counted from 1.
        updates: number of updates before it.
        examples: number of examples of each corpus that were drawn before it, repeats counted [corpora].
    """

    epoch: int
    updates: int
    examples: tuple[int, ...]


class EpochPlan(Sequence[PlannedBatch]):
    """The batches of an epoch, in order; a slice of them shares what was drawn.

    Args:
        streams: the batches of each corpus, of which its segments take one after the other.
        order: the corpus of each segment, in the order of the plan [S].
        together: segments of a batch; S is a multiple of it.
        lasting: segments without those that only make the last update whole, which are drawn again.
        updates: number of updates.
        start: where the epoch begins.
    """

    def __init__(
        self,
        streams: Sequence[Stream],
        order: Integers,
        together: int,
        lasting: int,
        updates: int,
        start: EpochStart,
    ) -> None:
        self.start, self._together, self._updates, self._lasting = start, together, updates, lasting
        self._streams, self._order = tuple(streams), order
        self._before = _count_before(order, len(streams))
        self._numbers = range(len(order) // together if together else 0)

    @cached_property
    def following(self) -> EpochStart:
        """Where the next epoch begins."""
        counts = np.bincount(self._order[: self._lasting], minlength=len(self._streams)).tolist()
        examples = [stream.place_after(count) for stream, count in zip(self._streams, counts, strict=True)]
        return EpochStart(self.start.epoch + 1, self.start.updates + self._updates, tuple(examples))

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, number: int) -> PlannedBatch: ...

    @overload
    def __getitem__(self, number: slice) -> EpochPlan: ...

    def __getitem__(self, number: int | slice) -> PlannedBatch | EpochPlan:
        """A batch; or the plan of some of the batches only."""
        if isinstance(number, slice):
            part = object.__new__(type(self))
            part.__dict__.update(self.__dict__, _numbers=self._numbers[number])
            return part
        first = self._numbers[number] * self._together
        return PlannedBatch(tuple(map(self._segment, range(first, first + self._together))))

    def _segment(self, place: int) -> PlannedSegment:
        corpus, chunk = int(self._order[place]), place // _CHUNK
        within = np.count_nonzero(self._order[chunk * _CHUNK : place] == corpus)
        return PlannedSegment(corpus, self._streams[corpus][int(self._before[chunk, corpus]) + int(within)])


def _count_before(order: Integers, corpora: int) -> NDArray[np.int64]:
    """How many segments of each corpus come before each chunk of an order [chunks, corpora]."""
    counts = np.zeros((-(-len(order) // _CHUNK) + 1, corpora), np.int64)
    for chunk in range(len(counts) - 1):
        counts[chunk + 1] = np.bincount(order[chunk * _CHUNK : (chunk + 1) * _CHUNK], minlength=corpora)
    return np.cumsum(counts, axis=0)
