"""Metrics of any number of labels an item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_plugin.kinds.multilabel import MultilabelKind
from skill_plugin.metrics.metric import Confusion, Metric, MetricState, f1


class Multilabel(Metric[Sequence[int], Sequence[int]]):
    """Micro and macro F1 over labels. Answers and references are the class ids of an item, none twice.

    Values are those of scikit-learn's ``f1_score`` on indicator matrices with ``zero_division=0``: macro_f1 is over all
    labels, one that neither occurs nor is predicted counting 0.

    The state is, for each label, right, predicted and gold, and then the number of items: [3 * C + 1].

    Args:
        name: micro_f1 or macro_f1.
        labels: their names, in the order of their ids.

    Raises:
        ValueError: an unknown metric.
    """

    names = MultilabelKind.metrics

    def __init__(self, name: str, labels: Sequence[str]) -> None:
        super().__init__(name)
        self.labels = tuple(labels)

    @property
    def size(self) -> int:
        return 3 * len(self.labels) + 1

    def count(
        self,
        state: MetricState,
        answers: Sequence[Sequence[int]] | NDArray[Any],
        references: Sequence[Sequence[int]] | NDArray[Any],
        numbers: Sequence[int] | NDArray[np.int64],
    ) -> None:
        right, predicted, gold = self._counts(state)
        for answer, reference in zip(answers, references, strict=True):
            right[sorted(set(answer) & set(reference))] += 1
            predicted[sorted(set(answer))] += 1
            gold[sorted(set(reference))] += 1
        state[-1] += len(answers)

    def value_of(self, name: str, state: MetricState) -> float:
        if name == "micro_f1":
            return f1(*(float(counts.sum()) for counts in self._counts(state)))
        return float(np.mean(self._by_label(state))) if self.labels else 0.0

    def scored(self, state: MetricState) -> int:
        return round(float(state[-1]))

    def further(self, state: MetricState) -> dict[str, float]:
        return {f"f1_{label}": value for label, value in zip(self.labels, self._by_label(state), strict=True)}

    def constant_answers(
        self, references: Sequence[Sequence[int]], texts: Sequence[Sequence[str]]
    ) -> Iterator[Sequence[Sequence[int]]]:
        """The set of labels with the best micro F1, which holds the most frequent ones; and all that occur."""
        counts = Counter(label for reference in references for label in reference).most_common()
        right = np.cumsum([0, *(count for _, count in counts)])
        given = np.arange(len(right)) * len(references)
        best = int(np.argmax(right / np.maximum(given + right[-1], 1)))
        for size in dict.fromkeys((best, len(counts))):
            yield [[label for label, _ in counts[:size]]] * len(references)

    def confusion(self, answers: Sequence[Sequence[int]], references: Sequence[Sequence[int]]) -> Confusion:
        """Each label: how often it was given and left out where it is right, and given where it is not."""
        right, predicted, gold = (Counter[int]() for _ in range(3))
        for answer, reference in zip(answers, references, strict=True):
            right.update(set(answer) & set(reference))
            predicted.update(answer)
            gold.update(reference)
        counts = {
            label: {"found": right[i], "missed": gold[i] - right[i], "wrongly given": predicted[i] - right[i]}
            for i, label in enumerate(self.labels)
        }
        return {label: row for label, row in counts.items() if any(row.values())}

    def _by_label(self, state: MetricState) -> list[float]:
        return [f1(*counts) for counts in zip(*self._counts(state), strict=True)]

    def _counts(self, state: MetricState) -> tuple[MetricState, MetricState, MetricState]:
        classes = len(self.labels)
        return state[:classes], state[classes : 2 * classes], state[2 * classes : 3 * classes]
