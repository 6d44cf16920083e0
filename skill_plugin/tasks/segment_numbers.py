"""The batches of a plan as fairseq's loader takes them, each made when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from skill_plugin.sampling.epoch_plan import EpochPlan
from skill_plugin.sampling.passes import Indices


class SegmentNumbers(Sequence[list[Indices]]):
    """For each batch the numbers in the dataset of the examples of each segment.

    Args:
        plan: the batches.
        offsets: number of the first example of each corpus [corpora].
    """

    def __init__(self, plan: EpochPlan, offsets: Indices) -> None:
        self._plan, self._offsets = plan, offsets

    def __len__(self) -> int:
        return len(self._plan)

    @overload
    def __getitem__(self, number: int) -> list[Indices]: ...

    @overload
    def __getitem__(self, number: slice) -> SegmentNumbers: ...

    def __getitem__(self, number: int | slice) -> list[Indices] | SegmentNumbers:
        if isinstance(number, slice):
            return SegmentNumbers(self._plan[number], self._offsets)
        return [segment.examples + self._offsets[segment.corpus] for segment in self._plan[number].segments]
