"""What every metric is: a vector that batches and ranks add up, and a function from the sum to the value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from skill_plugin.errors import nearest

MetricState = NDArray[np.float64]
AnswerT = TypeVar("AnswerT")
ReferenceT = TypeVar("ReferenceT")


class Metric(ABC, Generic[AnswerT, ReferenceT]):
    """A metric of one kind of corpus; ``AnswerT`` and ``ReferenceT`` are what it compares for each scored item.

    Args:
        name: one of ``names``.

    Raises:
        ValueError: another name.

    Attributes:
        names: the metrics that one state gives.
        name: which of them is ``value``.
        reads_texts: whether its constant answers depend on the texts of an item.
    """

    names: ClassVar[tuple[str, ...]]
    reads_texts: ClassVar[bool] = False

    def __init__(self, name: str) -> None:
        if name not in self.names:
            raise ValueError(f"unknown metric {name!r}{nearest(name, self.names)}")
        self.name = name

    @property
    def in_unit_interval(self) -> bool:
        """Whether higher is better and 1 the best, so that a mean over corpora makes sense.

        True of correlations too, which may be negative.
        """
        return True

    @property
    def higher_is_better(self) -> bool:
        """Which of two values is the better one."""
        return self.in_unit_interval

    @property
    @abstractmethod
    def size(self) -> int:
        """Cells of the state."""

    @abstractmethod
    def count(
        self,
        state: MetricState,
        answers: Sequence[AnswerT] | NDArray[Any],
        references: Sequence[ReferenceT] | NDArray[Any],
        numbers: Sequence[int] | NDArray[np.int64],
    ) -> None:
        """Adds scored items to a state.

        Args:
            state: [size], changed in place; zeros are the state of nothing.
            answers, references: [U], of one item each.
            numbers: [U], positions of the items in their split; only metrics with a slot an item look at them.
        """

    @property
    def defined(self) -> tuple[str, ...]:
        """Those of ``names`` that have a meaning for the corpus."""
        return self.names

    @abstractmethod
    def value_of(self, name: str, state: MetricState) -> float:
        """One of the metrics that are ``defined``, of a summed state; 0 where nothing was scored."""

    def value(self, state: MetricState) -> float:
        """The metric of a summed state; 0 where nothing was scored."""
        return self.value_of(self.name, state)

    @abstractmethod
    def scored(self, state: MetricState) -> int:
        """Scored items of a summed state."""

    def details(self, state: MetricState) -> dict[str, float]:
        """Every metric that is ``defined``, whichever is the main one, and further values, for results.json."""
        return {**{name: self.value_of(name, state) for name in self.defined}, **self.further(state)}

    def further(self, state: MetricState) -> dict[str, float]:
        """Values of a summed state that are no metrics by which a corpus can be scored."""
        return {}

    def constant_answers(
        self, references: Sequence[ReferenceT], texts: Sequence[Sequence[str]]
    ) -> Iterator[Sequence[AnswerT]]:
        """What rules without a model would answer to items [U]; the best of the rules is what a score is held against.

        A rule may know the right answers of the split as a whole, such as their most frequent class, but gives the
        same one, or the one at the same place, to each item.

        Args:
            references: right answers [U], at least one.
            texts: of each item [U], where ``reads_texts``.
        """
        return iter(())


def ratio(part: float, whole: float) -> float:
    """A share or mean, 0 of nothing."""
    return float(part) / float(whole) if whole else 0.0


def f1(right: float, predicted: float, gold: float) -> float:
    """Harmonic mean of precision and recall from counts; 0 where nothing was predicted and there was nothing."""
    return ratio(2 * right, predicted + gold)
