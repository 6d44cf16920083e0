"""How much better than an answer "no answer" must score for the best value of a metric."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from skill_plugin.kinds.span.items import SpanItems
from skill_plugin.metrics.best_cut import best_cut
from skill_plugin.metrics.metric import Metric
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow


class NoAnswerThreshold:
    """One difference of scores, as SQuAD's official script chooses it.

    Args:
        items: how questions are answered.
        metric: its value of a question counts.
        usual: the threshold of the corpora file.
    """

    def __init__(self, items: SpanItems, metric: Metric[str, Sequence[str]], usual: float) -> None:
        self._items, self._metric, self._usual = items, metric, usual
        self._differences: list[float] = []
        self._gains: list[float] = []

    def add(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> None:
        found = self._items.predict(outputs, row, sequences, example)
        _, right = self._items.score(outputs, row, sequences, example)
        text = next((one.text for one in found.n_best if one.end), "")
        self._differences.append(found.no_answer)
        self._gains.append(self._value("", right) - self._value(text, right))

    def best(self) -> tuple[float, ...]:
        return (best_cut(np.array(self._differences), np.array(self._gains), self._usual),)

    def _value(self, answer: str, right: Sequence[str]) -> float:
        state = np.zeros(self._metric.size)
        self._metric.count(state, [answer], [right], [0])
        return self._metric.value(state)
