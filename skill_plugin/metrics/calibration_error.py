"""How far probabilities are from the shares of answers that are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_plugin.metrics.metric import MetricState, ratio

BINS = 15  # as Guo et al. (2017)


@dataclass(frozen=True)
class ReliabilityBin:
    """Answers whose probabilities lie in one of the equal parts of [0, 1].

    Attributes:
        n: how many there are.
        confidence: the mean of their probabilities; 0 without any.
        accuracy: the share of them that is right; 0 without any.
    """

    n: int
    confidence: float
    accuracy: float


class CalibrationError:
    """Expected calibration error (Naeini et al., 2015), in parts of equal width.

    The state is, for each part, the number of answers, the sum of their probabilities, and how many are right [3 BINS].
    """

    size = 3 * BINS

    def count(self, state: MetricState, confidences: NDArray[Any], right: NDArray[Any]) -> None:
        """Adds answers to a state.

        Args:
            state: [size], all zeros before the first answer.
            confidences: probability of each answer [A].
            right: whether it is right [A].
        """
        places = np.minimum((confidences * BINS).astype(np.int64), BINS - 1)
        for part, weights in zip(state.reshape(3, BINS), (None, confidences, right), strict=True):
            part += np.bincount(places, weights, BINS)

    def value(self, state: MetricState) -> float | None:
        """The mean over answers of the distance between confidence and accuracy of their part; None without any."""
        number, confidence, right = state.reshape(3, BINS)
        return ratio(np.abs(confidence - right).sum(), number.sum()) if number.sum() else None

    def bins(self, state: MetricState) -> list[ReliabilityBin]:
        """The parts, from the lowest probabilities."""
        return [
            ReliabilityBin(round(n), ratio(sure, n), ratio(right, n)) for n, sure, right in state.reshape(3, BINS).T
        ]
