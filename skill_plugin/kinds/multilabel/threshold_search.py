"""Thresholds of labels that give the best F1.

Axes: n rows, C labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.metrics.best_cut import best_cut
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow

Numbers = NDArray[np.float64]


class LabelThresholds:
    """One probability for each label. A label that no row has keeps one half.

    Args:
        labels: C.
        together: whether F1 is of all labels together (micro), or of each by itself (macro).
    """

    def __init__(self, labels: int, together: bool) -> None:
        self._labels, self._together = labels, together
        self._logits: list[Numbers] = []
        self._given: list[NDArray[np.bool_]] = []

    def add(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> None:
        given = np.zeros(self._labels, bool)
        given[row.arrays["label"]] = True
        self._logits.append(outputs[0].double().numpy())
        self._given.append(given)

    def best(self) -> tuple[float, ...]:
        logits, given = np.stack(self._logits), np.stack(self._given)
        cuts, occurring = np.zeros(self._labels), np.flatnonzero(given.any(0))
        for group in [occurring] if self._together else occurring[:, None]:
            if len(group):
                cuts[group] = _best_f1(logits[:, group], given[:, group])
        return tuple((1 / (1 + np.exp(-cuts))).tolist())


def _best_f1(logits: Numbers, given: NDArray[np.bool_]) -> Numbers:
    """The cuts of labels [C] with the greatest F1 of all of them together, which is a ratio of sums over labels.

    Its maximum is found by differences (Dinkelbach, 1967): with F the F1 so far, 2 right - F (predicted + gold) is
    above 0 for cuts that are better, and is at its greatest where each label's own part is.

    Args:
        logits: [n, C].
        given: [n, C].
    """
    cuts, best = np.zeros(logits.shape[1]), -1.0
    while (found := _f1(logits > cuts, given)) > best:
        best, kept = found, cuts
        columns = zip(logits.T, given.T, strict=True)
        cuts = np.array([best_cut(column, 2.0 * right - best, 0.0) for column, right in columns])
    return kept


def _f1(predicted: NDArray[np.bool_], given: NDArray[np.bool_]) -> float:
    return float(2 * (predicted & given).sum() / max(1, predicted.sum() + given.sum()))
