"""The metric states of all corpora of a run in one vector, which batches and ranks simply add up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skill_plugin.metrics.classification import classification_metric, confusion


@dataclass(frozen=True)
class CorpusMetric:
    """How one corpus is scored.

    Attributes:
        corpus: its name.
        metric: name of the metric.
        labels: its classes, in the order of their ids.
        positive_label: what f1 is about, if that is the metric.
    """

    corpus: str
    metric: str
    labels: tuple[str, ...]
    positive_label: str | None

    @property
    def size(self) -> int:
        """Cells of the state."""
        return len(self.labels) ** 2

    @property
    def key(self) -> str:
        """The name in the logs."""
        return f"{self.corpus}_{self.metric}"

    def value(self, state: NDArray[np.float64]) -> float:
        """The metric of a summed state [C * C]."""
        classes = len(self.labels)
        positive = self.labels.index(self.positive_label) if self.positive_label is not None else None
        matrix = np.rint(state).astype(np.int64).reshape(classes, classes)
        return classification_metric(self.metric, matrix, positive)

    def scored(self, state: NDArray[np.float64]) -> int:
        """Scored items of a summed state."""
        return round(float(state.sum()))


class CorpusMetrics:
    """The metrics of all corpora, and where each one's state lies in the common vector.

    Args:
        metrics: in the order of the run's corpora.
    """

    def __init__(self, metrics: Sequence[CorpusMetric]) -> None:
        self.metrics = list(metrics)
        self.offsets = np.cumsum([0] + [metric.size for metric in metrics])

    def __iter__(self) -> Iterator[CorpusMetric]:
        return iter(self.metrics)

    def empty(self) -> NDArray[np.float64]:
        """The common vector of nothing seen."""
        return np.zeros(self.offsets[-1], dtype=np.float64)

    def part(self, state: NDArray[np.float64], index: int) -> NDArray[np.float64]:
        """One corpus's state in the common vector, as a view."""
        return state[self.offsets[index] : self.offsets[index + 1]]

    def count(
        self, state: NDArray[np.float64], index: int, targets: NDArray[np.int64], predictions: NDArray[np.int64]
    ) -> None:
        """Adds answers of one corpus to the common vector: true and predicted classes [U]."""
        matrix = confusion(targets, predictions, len(self.metrics[index].labels))
        self.part(state, index)[:] += matrix.reshape(-1)


def average(values: Sequence[float]) -> float:
    """``avg``: the mean over corpora of metrics that are better when higher; 0 for no corpus."""
    return sum(values) / len(values) if values else 0.0
