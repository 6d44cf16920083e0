"""Perplexity is the exponential of the mean loss of a masked token over all texts, not a mean of texts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from skill_plugin.kinds.masked_lm.metric import MaskedAnswer, MaskedLm


def test_values() -> None:
    metric = MaskedLm("perplexity")
    state = np.zeros(metric.size)
    assert metric.value(state) == 0
    metric.count(state, [MaskedAnswer(6.0, 1), MaskedAnswer(0.5, 1), MaskedAnswer(0.0)], [4, 1, 0], range(3))
    assert metric.value(state) == pytest.approx(math.exp(6.5 / 5))
    assert metric.scored(state) == 3
    assert metric.details(state) == pytest.approx(
        {"perplexity": math.exp(6.5 / 5), "accuracy": 0.4, "masked_tokens": 5}
    )
    assert MaskedLm("accuracy").value(state) == pytest.approx(0.4)
    assert not metric.in_unit_interval and MaskedLm("accuracy").in_unit_interval
    metric.count(state, [MaskedAnswer(1e6)], [1], [3])
    assert metric.value(state) == math.inf
