"""The batches of one epoch, held in arrays: a batch is made when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from skill_plugin.sampling.passes import Drawn, Integers


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
    """The batches of an epoch, in order; a slice of them shares its arrays.

    Segments lie corpus by corpus, those of a corpus in the order in which they were drawn. An example takes 4 bytes,
    and a segment 16.

    Args:
        drawn: the segments of each corpus.
        order: the corpus of each segment, in the order of the plan [S].
        together: segments of a batch; S is a multiple of it.
        start: where the epoch begins.
        following: where the next one begins.
    """

    def __init__(
        self, drawn: Sequence[Drawn], order: Integers, together: int, start: EpochStart, following: EpochStart
    ) -> None:
        counts = [len(one.ends) for one in drawn]
        self.start, self.following, self._together = start, following, together
        self._examples = np.concatenate([one.examples for one in drawn])
        firsts = np.cumsum([0, *(len(one.examples) for one in drawn)])
        ends = [one.ends + first for one, first in zip(drawn, firsts, strict=False)]
        self._bounds = np.concatenate([np.zeros(1, np.int64), *ends])
        self._corpus_ends = np.cumsum(counts)
        self._places = np.empty(len(order), np.int64)
        self._places[np.argsort(order, kind="stable")] = np.arange(len(order))
        self._numbers = range(len(order) // together if together else 0)

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
        return PlannedBatch(tuple(map(self._segment, self._places[first : first + self._together].tolist())))

    def _segment(self, place: int) -> PlannedSegment:
        corpus = int(np.searchsorted(self._corpus_ends, place, side="right"))
        return PlannedSegment(corpus, self._examples[self._bounds[place] : self._bounds[place + 1]])
