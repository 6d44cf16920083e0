"""Metrics of classification, from the confusion matrix: its sum over batches and ranks is all they need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_plugin.metrics.metric import Confusion, Metric, MetricState

Matrix = NDArray[np.int64]


def _accuracy(reference: ModuleType, targets: Matrix, predictions: Matrix, counts: Matrix, _: Matrix) -> float:
    return float(reference.accuracy_score(targets, predictions, sample_weight=counts))


def _mean_f1(reference: ModuleType, targets: Matrix, predictions: Matrix, counts: Matrix, classes: Matrix) -> float:
    options = {"labels": classes, "average": "macro", "zero_division": 0, "sample_weight": counts}
    return float(reference.f1_score(targets, predictions, **options))


def _mcc(reference: ModuleType, targets: Matrix, predictions: Matrix, counts: Matrix, _: Matrix) -> float:
    if len(np.union1d(targets, predictions)) == 1:
        return 0.0  # undefined; scikit-learn gives 0 too, with a warning at every step
    return float(reference.matthews_corrcoef(targets, predictions, sample_weight=counts))


# name -> (sklearn.metrics, which is slow to import; true and predicted classes of the cells that are not empty [n]; how
# often each was [n]; the classes whose F1s are averaged) -> value
_SCORES: dict[str, Callable[[ModuleType, Matrix, Matrix, Matrix, Matrix], float]] = {
    "accuracy": _accuracy,
    "f1": _mean_f1,
    "macro_f1": _mean_f1,
    "mcc": _mcc,
}
NO_CLASS = "(none)"  # in place of a label


class Classification(Metric[int, int]):
    """Metrics of one class an item, also of word_in_context and next_sentence. Answers and references are class ids.

    An answer may also be C: none of the classes, which is always wrong (a text-to-text model can write anything).
    The state is the confusion matrix [C * (C + 1)].

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
        """The metric of classes with names, in the order of their ids; f1 of two is that of the last, where no other is
        said to be positive."""
        if positive_label is None and name == "f1" and len(labels) == 2:
            positive_label = labels[-1]
        positive = None if positive_label is None else list(labels).index(positive_label)
        return cls(name, len(labels), positive, labels)

    @property
    def size(self) -> int:
        return self.classes * (self.classes + 1)

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
        names, answered = list(enumerate(self.labels)), list(enumerate((*self.labels, NO_CLASS)))
        found = {name: {other: counts[i, j] for j, other in answered if counts[i, j]} for i, name in names}
        return {name: row for name, row in found.items() if row}

    def _matrix(self, state: MetricState) -> Matrix:
        return np.rint(state).astype(np.int64).reshape(self.classes, self.classes + 1)


def count_confusion(targets: NDArray[np.int64], predictions: NDArray[np.int64], classes: int) -> Matrix:
    """Counts a confusion matrix [C, C + 1]: rows are true classes, columns predicted ones, the last one none of them.
    Matrices of parts add up."""
    columns = classes + 1
    flat = np.bincount(targets * columns + predictions, minlength=classes * columns)
    return flat.reshape(classes, columns).astype(np.int64)


def compute_metric(metric: str, matrix: Matrix, positive: int | None = None) -> float:
    """A metric's value, as scikit-learn computes it on the labels that the matrix counts.

    Args:
        metric: accuracy, f1 (of the class ``positive``), macro_f1 (over the classes that occur), or mcc (Matthews'
            correlation).
        matrix: the matrix of ``count_confusion`` [C, C + 1], or [C, C] where every answer is a class.
        positive: the id of the class that f1 is about.

    Returns:
        The value; 0 for an empty matrix, and for an undefined mcc.

    Raises:
        ValueError: an unknown metric.
    """
    return _value(metric, np.ascontiguousarray(matrix, dtype=np.int64).tobytes(), len(matrix), positive)


@lru_cache(maxsize=1024)  # logs ask for the values of all corpora at every step, but only some have changed
def _value(metric: str, counts: bytes, classes: int, positive: int | None) -> float:
    from sklearn import metrics  # slow to import: only where a value is asked for

    matrix = np.frombuffer(counts, dtype=np.int64).reshape(classes, -1)
    targets, predictions = matrix.nonzero()
    weights = matrix[targets, predictions]
    if not len(weights):
        return 0.0
    if metric not in _SCORES:
        raise ValueError(f"unknown metric {metric!r}")
    occurring = np.union1d(targets, predictions)
    averaged = np.array([positive]) if metric == "f1" else occurring[occurring < classes]
    return _SCORES[metric](metrics, targets, predictions, weights, averaged)
