"""Metrics of guessing masked tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skill_plugin.kinds.masked_lm import MaskedLMKind
from skill_plugin.metrics.metric import Metric, MetricState, ratio


class MaskedAnswer(NamedTuple):
    """How the masked tokens of one text were guessed.

    Attributes:
        loss: their summed negative log-likelihood, in nats.
        right: how many of them were the likeliest token of their position.
    """

    loss: float
    right: int = 0


class MaskedLm(Metric[MaskedAnswer, int]):
    """Perplexity, exp of the mean loss of a masked token, and accuracy. References are numbers of masked tokens.

    The state is summed loss, right guesses, masked tokens and texts: [4].

    Args:
        name: perplexity (lower is better; infinite where a float64 cannot hold it) or accuracy.

    Raises:
        ValueError: an unknown metric.
    """

    names = MaskedLMKind.metrics
    costs = MaskedLMKind.costs

    @property
    def size(self) -> int:
        return 4

    def count(
        self,
        state: MetricState,
        answers: Sequence[MaskedAnswer] | NDArray[Any],
        references: Sequence[int] | NDArray[Any],
        numbers: Sequence[int] | NDArray[np.int64],
    ) -> None:
        for answer, tokens in zip(answers, references, strict=True):
            state += (answer.loss, answer.right, tokens, 1)

    def scored(self, state: MetricState) -> int:
        return round(float(state[3]))

    def further(self, state: MetricState) -> dict[str, float]:
        return {"masked_tokens": float(state[2])}

    def value_of(self, name: str, state: MetricState) -> float:
        loss, right, tokens, _ = map(float, state)
        if name == "accuracy" or not tokens:
            return ratio(right, tokens)
        try:
            return math.exp(loss / tokens)
        except OverflowError:
            return math.inf
