"""The metric states of all corpora of a run in one vector, so that batches and ranks only add vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_plugin.metrics.aggregates import Aggregate, Groups, make_aggregates
from skill_plugin.metrics.calibration_error import CalibrationError
from skill_plugin.metrics.metric import Metric, MetricState


@dataclass(frozen=True)
class CorpusMetric:
    """How one corpus is scored.

    Attributes:
        corpus: the name of the corpus.
        metric: the metric that scores its answers.
        averaged: whether it counts in ``avg``, if its metric can be averaged.
        language: the language of the corpus.
        calibration: what measures how honest its probabilities are; None for kinds without.
    """

    corpus: str
    metric: Metric[Any, Any]
    averaged: bool = True
    language: str = ""
    calibration: CalibrationError | None = None

    @property
    def key(self) -> str:
        """The name in the logs."""
        return f"{self.corpus}_{self.metric.name}"

    @property
    def calibration_key(self) -> str:
        """The name of the calibration error in the logs."""
        return f"{self.corpus}_ece"

    @property
    def size(self) -> int:
        """Of its part of the common vector."""
        return self.metric.size + (0 if self.calibration is None else self.calibration.size)

    @property
    def in_average(self) -> bool:
        """Whether it counts in ``avg``: it is ``averaged``, and the best value of its metric is 1."""
        return self.averaged and self.metric.in_unit_interval


class CorpusMetrics:
    """The metrics of all corpora, and where each one's state lies in the common vector.

    Args:
        metrics: the metrics, in the order of the run's corpora.
        scored: the corpora that have something to score; None if all have.
        weights: the weights of units in ``weighted_avg``.
        groups: the corpora of each group; a group counts once.

    Attributes:
        aggregates: the averages by name, over corpora that have something to score.
    """

    def __init__(
        self,
        metrics: Sequence[CorpusMetric],
        scored: Collection[str] | None = None,
        weights: Mapping[str, float] | None = None,
        groups: Groups | None = None,
    ) -> None:
        self.metrics = list(metrics)
        averaged = {m.corpus: m.language for m in metrics if m.in_average and (scored is None or m.corpus in scored)}
        self.aggregates = make_aggregates(averaged, weights, groups)
        self.offsets = np.cumsum([0] + [metric.size for metric in metrics])

    def __iter__(self) -> Iterator[CorpusMetric]:
        return iter(self.metrics)

    def empty(self) -> MetricState:
        """The common vector before anything is scored."""
        return np.zeros(self.offsets[-1], dtype=np.float64)

    def part(self, state: MetricState, index: int) -> MetricState:
        """One corpus's metric state in the common vector, as a view."""
        return state[self.offsets[index] :][: self.metrics[index].metric.size]

    def calibration_part(self, state: MetricState, index: int) -> MetricState:
        """One corpus's state of its calibration error, empty where it has none, as a view."""
        return state[self.offsets[index] + self.metrics[index].metric.size : self.offsets[index + 1]]

    def count(
        self,
        state: MetricState,
        index: int,
        answers: Sequence[Any] | NDArray[Any],
        references: Sequence[Any] | NDArray[Any],
        numbers: Sequence[int] | NDArray[np.int64],
    ) -> None:
        """Adds scored items of one corpus to the common vector, see ``Metric.count``."""
        self.metrics[index].metric.count(self.part(state, index), answers, references, numbers)

    def count_confidences(self, state: MetricState, index: int, confidences: NDArray[Any], right: NDArray[Any]) -> None:
        """Adds answers of one corpus, which has a calibration error, to the common vector."""
        if (calibration := self.metrics[index].calibration) is not None:
            calibration.count(self.calibration_part(state, index), confidences, right)

    def aggregate(self, state: MetricState, aggregate: Aggregate) -> float | None:
        """The value of an average, over those of its corpora of which something was scored; None if there are none."""
        parts = [(m, self.part(state, i)) for i, m in enumerate(self) if m.corpus in aggregate.corpora]
        return aggregate.value({m.corpus: m.metric.value(part) for m, part in parts if m.metric.scored(part)})
