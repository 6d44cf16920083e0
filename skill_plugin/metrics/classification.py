"""Metrics of classification, from the confusion matrix: its sum over batches and ranks is all they need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_plugin.metrics.metric import Confusion, Metric, MetricState

Matrix = NDArray[np.int64]


# Of the true and of the predicted classes in a confusion matrix that is not empty. scikit-learn has the same formulas,
# but its import takes longer than scoring some thousand texts.


def _accuracy(matrix: Matrix, _: int | None) -> float:
    return float(matrix.trace() / matrix.sum())


def _f1s(matrix: Matrix) -> NDArray[np.float64]:
    """F1 of each class [C], NaN for one that does not occur."""
    of_either = matrix.sum(0) + matrix.sum(1)
    found = np.full(len(matrix), np.nan)
    np.divide(2 * matrix.diagonal(), of_either, out=found, where=of_either > 0)
    return found


def _f1(matrix: Matrix, positive: int | None) -> float:
    return float(np.nan_to_num(_f1s(matrix)[positive]))


def _macro_f1(matrix: Matrix, _: int | None) -> float:
    return float(np.nanmean(_f1s(matrix)))


def _mcc(matrix: Matrix, _: int | None) -> float:
    targets, predictions, total = (matrix.sum(1).astype(float), matrix.sum(0).astype(float), float(matrix.sum()))
    spread = (total**2 - targets @ targets) * (total**2 - predictions @ predictions)  # 0 where one is constant
    return float((matrix.trace() * total - targets @ predictions) / spread**0.5) if spread > 0 else 0.0


_SCORES: dict[str, Callable[[Matrix, int | None], float]] = {  # by name; the second is the class that f1 is about
    "accuracy": _accuracy,
    "f1": _f1,
    "macro_f1": _macro_f1,
    "mcc": _mcc,
}


class Classification(Metric[int, int]):
    """Metrics of one class an item, also of word_in_context and next_sentence. Answers and references are class ids.

    The state is the confusion matrix [C * C].

    Args:
        name: accuracy, f1 (of the class ``positive``), macro_f1 (over the classes that occur), or mcc (Matthews'
            correlation, 0 where undefined).
        classes: C.
        positive: id of the class that f1 is about.
        labels: names of the classes [C]; without them there is no ``confusion``.

    Raises:
        ValueError: an unknown metric, or f1 without a positive class.
    """

    names = tuple(_SCORES)

    def __init__(self, name: str, classes: int, positive: int | None = None, labels: Sequence[str] = ()) -> None:
        super().__init__(name)
        if name == "f1" and positive is None:
            raise ValueError("f1 needs a positive class")
        self.classes, self.positive, self.labels = classes, positive, tuple(labels)

    @classmethod
    def of_labels(cls, name: str, labels: Sequence[str], positive_label: str | None) -> Classification:
        """The metric of classes with names, in the order of their ids."""
        positive = None if positive_label is None else list(labels).index(positive_label)
        return cls(name, len(labels), positive, labels)

    @property
    def size(self) -> int:
        return self.classes**2

    def count(
        self,
        state: MetricState,
        answers: Sequence[int] | NDArray[Any],
        references: Sequence[int] | NDArray[Any],
        numbers: Sequence[int] | NDArray[np.int64],
    ) -> None:
        targets, predictions = np.asarray(references, dtype=np.int64), np.asarray(answers, dtype=np.int64)
        state += count_confusion(targets, predictions, self.classes).reshape(-1)

    @property
    def defined(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name != "f1" or self.positive is not None)

    def value_of(self, name: str, state: MetricState) -> float:
        return compute_metric(name, self._matrix(state), self.positive)

    def scored(self, state: MetricState) -> int:
        return round(float(state.sum()))

    def constant_answers(self, references: Sequence[int], texts: Sequence[Sequence[str]]) -> Iterator[Sequence[int]]:
        """The most frequent class, and the positive one."""
        majority, _ = Counter(references).most_common(1)[0]
        for answer in {majority, majority if self.positive is None else self.positive}:
            yield [answer] * len(references)

    def confusion(self, answers: Sequence[int], references: Sequence[int]) -> Confusion:
        """Labels by labels, of those that occur."""
        counts = Counter(zip(references, answers, strict=True))
        names = list(enumerate(self.labels))
        found = {name: {other: counts[i, j] for j, other in names if counts[i, j]} for i, name in names}
        return {name: row for name, row in found.items() if row}

    def _matrix(self, state: MetricState) -> Matrix:
        return np.rint(state).astype(np.int64).reshape(self.classes, self.classes)


def count_confusion(targets: NDArray[np.int64], predictions: NDArray[np.int64], classes: int) -> Matrix:
    """Counts a confusion matrix [C, C]: rows are true classes, columns predicted ones. Matrices of parts add up."""
    flat = np.bincount(targets * classes + predictions, minlength=classes * classes)
    return flat.reshape(classes, classes).astype(np.int64)


def compute_metric(metric: str, matrix: Matrix, positive: int | None = None) -> float:
    """A metric's value, that of scikit-learn on the labels that the matrix counts.

    Args:
        metric: accuracy, f1 (of the class ``positive``), macro_f1 (over the classes that occur), or mcc (Matthews'
            correlation).
        matrix: the matrix of ``count_confusion`` [C, C].
        positive: the id of the class that f1 is about.

    Returns:
        The value; 0 for an empty matrix, and for an undefined mcc.

    Raises:
        ValueError: an unknown metric.
    """
    if metric not in _SCORES:
        raise ValueError(f"unknown metric {metric!r}")
    return _SCORES[metric](matrix, positive) if matrix.any() else 0.0
