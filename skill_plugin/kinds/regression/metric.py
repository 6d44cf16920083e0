"""Correlations of predicted and true numbers. They need all values at once: the state has slots for each item."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_plugin.kinds.regression import RegressionKind
from skill_plugin.metrics.metric import Metric, MetricState


class Regression(Metric[float, float]):
    """Pearson's and Spearman's correlation as scipy computes them on the values of the items seen so far.

    0 where it is undefined: for fewer than two items, constants, and values that are not finite.

    The state is three blocks of one slot an item: sum of answers, sum of references, times seen: [3 * items]. An item
    that was answered several times counts once, with its mean answer.

    Args:
        name: pearson or spearman.
        items: in the split that is scored.

    Raises:
        ValueError: an unknown metric.
    """

    names = RegressionKind.metrics

    def __init__(self, name: str, items: int) -> None:
        super().__init__(name)
        self.items = items
        # the logs ask for every corpus's value at every step, though one corpus's state changed
        self._last: tuple[bytes, float] | None = None

    @property
    def size(self) -> int:
        return 3 * self.items

    def count(
        self,
        state: MetricState,
        answers: Sequence[float] | NDArray[Any],
        references: Sequence[float] | NDArray[Any],
        numbers: Sequence[int] | NDArray[np.int64],
    ) -> None:
        """Adds items, whose ``numbers`` are all below ``items``."""
        slots = np.asarray(numbers, dtype=np.int64)
        given, true, seen = self._blocks(state)
        np.add.at(given, slots, np.asarray(answers, dtype=np.float64))
        np.add.at(true, slots, np.asarray(references, dtype=np.float64))
        np.add.at(seen, slots, 1.0)

    def value(self, state: MetricState) -> float:
        content = state.tobytes()
        if self._last is None or self._last[0] != content:
            self._last = content, self.value_of(self.name, state)
        return self._last[1]

    def value_of(self, name: str, state: MetricState) -> float:
        return _correlation(name, *self._values(state))

    def scored(self, state: MetricState) -> int:
        return int(np.count_nonzero(self._blocks(state)[2]))

    def further(self, state: MetricState) -> dict[str, float]:
        """The mean squared error."""
        given, true = self._values(state)
        return {"mse": float(np.mean((given - true) ** 2)) if len(given) else 0.0}

    def constant_answers(
        self, references: Sequence[float], texts: Sequence[Sequence[str]]
    ) -> Iterator[Sequence[float]]:
        """Their mean, whose correlation with anything is 0."""
        yield [float(np.mean(references))] * len(references)

    def _blocks(self, state: MetricState) -> tuple[MetricState, MetricState, MetricState]:
        return state[: self.items], state[self.items : 2 * self.items], state[2 * self.items :]

    def _values(self, state: MetricState) -> tuple[MetricState, MetricState]:
        """Answers and references of the items seen [U]."""
        given, true, seen = self._blocks(state)
        at = np.flatnonzero(seen)
        return given[at] / seen[at], true[at] / seen[at]


def _correlation(name: str, given: MetricState, true: MetricState) -> float:
    if len(given) < 2 or not (np.isfinite(given).all() and np.isfinite(true).all()):
        return 0.0
    if np.ptp(given) == 0 or np.ptp(true) == 0:
        return 0.0
    from scipy import stats  # slow to import: only where a value is asked for

    with warnings.catch_warnings():  # of almost constant answers, which early steps give
        warnings.simplefilter("ignore")
        result = (stats.pearsonr if name == "pearson" else stats.spearmanr)(given, true)
    return float(np.nan_to_num(result.statistic))
