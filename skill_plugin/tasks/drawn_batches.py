"""The batches of a plan as fairseq's loader takes them, each made when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from skill_plugin.sampling.epoch_plan import EpochPlan
from skill_plugin.sampling.passes import Indices
from skill_plugin.tasks.multi_corpus_dataset import Drawn


class DrawnBatches(Sequence[list[Drawn]]):
    """For each batch the examples of each segment, by their numbers in the dataset.

    Args:
        plan: the batches.
        offsets: number of the first example of each corpus [corpora].
        epoch: the plan's.
    """

    def __init__(self, plan: EpochPlan, offsets: Indices, epoch: int) -> None:
        self._plan, self._offsets, self._epoch = plan, offsets, epoch

    def __len__(self) -> int:
        return len(self._plan)

    @overload
    def __getitem__(self, number: int) -> list[Drawn]: ...

    @overload
    def __getitem__(self, number: slice) -> DrawnBatches: ...

    def __getitem__(self, number: int | slice) -> list[Drawn] | DrawnBatches:
        if isinstance(number, slice):
            return DrawnBatches(self._plan[number], self._offsets, self._epoch)
        segments = self._plan[number].segments
        return [Drawn(segment.examples + self._offsets[segment.corpus], self._epoch) for segment in segments]
