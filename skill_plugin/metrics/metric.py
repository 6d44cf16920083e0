"""What every metric is: a state, a vector that batches and ranks add up, and a function from the sum to the value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from skill_plugin.errors import nearest

MetricState = NDArray[np.float64]
Confusion = Mapping[str, Mapping[str, int]]  # what is right -> what was answered -> how often
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
        costs: those of which less is better (``Kind.costs``).
        name: which of them is ``value``.
        reads_texts: whether its constant answers depend on the texts of items.
    """

    names: ClassVar[tuple[str, ...]]
    costs: ClassVar[tuple[str, ...]] = ()
    reads_texts: ClassVar[bool] = False

    def __init__(self, name: str) -> None:
        if name not in self.names:
            raise ValueError(f"unknown metric {name!r}{nearest(name, self.names)}")
        self.name = name

    @property
    def in_unit_interval(self) -> bool:
        """Whether higher is better and 1 is the best value, so that a mean over corpora makes sense.

        True of correlations too, which may be negative.
        """
        return self.name not in self.costs

    @property
    def higher_is_better(self) -> bool:
        """Whether the higher of two values is the better one."""
        return self.in_unit_interval

    @property
    @abstractmethod
    def size(self) -> int:
        """The length of the state."""

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
            state: the state [size], which is changed in place; it is all zeros before the first item.
            answers, references: the answer and the right answer of each item [U].
            numbers: the number of each item in its split [U]; only metrics whose state has a place for each item use
                it.
        """

    @property
    def defined(self) -> tuple[str, ...]:
        """The metrics among ``names`` that are defined for the corpus."""
        return self.names

    @abstractmethod
    def value_of(self, name: str, state: MetricState) -> float:
        """The value of one of the ``defined`` metrics for a summed state; 0 if nothing was scored."""

    def value(self, state: MetricState) -> float:
        """The value of the metric ``name`` for a summed state; 0 if nothing was scored."""
        return self.value_of(self.name, state)

    @abstractmethod
    def scored(self, state: MetricState) -> int:
        """The number of scored items in a summed state."""

    def details(self, state: MetricState) -> dict[str, float]:
        """The values of all ``defined`` metrics, and further values, for results.json."""
        return {**{name: self.value_of(name, state) for name in self.defined}, **self.further(state)}

    def further(self, state: MetricState) -> dict[str, float]:
        """Further values of a summed state, by which a corpus cannot be scored."""
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

    def confusion(self, answers: Sequence[AnswerT], references: Sequence[ReferenceT]) -> Confusion:
        """What was answered where something was right, counted; {} for answers that are not of a few sorts.

        Args:
            answers, references: the answer and the right answer of each item [U].
        """
        return {}


def ratio(part: float, whole: float) -> float:
    """The quotient; 0 if ``whole`` is 0."""
    return float(part) / float(whole) if whole else 0.0


def f1(right: float, predicted: float, gold: float) -> float:
    """The harmonic mean of precision and recall, from counts; 0 if ``predicted`` and ``gold`` are 0."""
    return ratio(2 * right, predicted + gold)
