"""How near the stars are to the right ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_plugin.metrics.metric import Metric, MetricState, ratio


class Closeness(Metric[int, int]):
    """1 for the right stars, 0 for the most in place of 1; or the share of those that are right; or by how many stars
    answers are off.

    The state is the sum of both, and the number of reviews.
    """

    names = ("closeness", "exact", "distance")
    costs = ("distance",)

    def __init__(self, name: str, most: int) -> None:
        super().__init__(name)
        self.most = most

    @property
    def size(self) -> int:
        return 3

    def count(
        self,
        state: MetricState,
        answers: Sequence[int] | NDArray[Any],
        references: Sequence[int] | NDArray[Any],
        numbers: Sequence[int] | NDArray[np.int64],
    ) -> None:
        for answer, right in zip(answers, references, strict=True):
            state += np.array([1 - abs(answer - right) / (self.most - 1), float(answer == right), 1.0])

    def value_of(self, name: str, state: MetricState) -> float:
        if name == "distance":
            return (self.most - 1) * (1 - ratio(state[0], state[2]))
        return ratio(state[self.names.index(name)], state[2])

    def constant_answers(self, references: Sequence[int], texts: Sequence[Sequence[str]]) -> Iterator[Sequence[int]]:
        yield from ([stars] * len(references) for stars in range(1, self.most + 1))

    def scored(self, state: MetricState) -> int:
        return int(state[2])
