"""Correlations are scipy's on the values of all items, in whatever parts they came."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import mean_squared_error

from skill_plugin.kinds.regression.metric import Regression

HUNDREDTHS = st.integers(-500, 500).map(lambda n: n / 100)
ITEMS = st.lists(st.tuples(HUNDREDTHS, HUNDREDTHS), min_size=2, max_size=40)


@given(ITEMS, st.randoms())
def test_values_are_scipys(items: list[tuple[float, float]], random: object) -> None:
    answers, references = np.array(items).T
    assume(np.ptp(answers) > 0 and np.ptp(references) > 0)
    order = np.arange(len(items))
    random.shuffle(order)  # type: ignore[attr-defined]
    for name, function in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        metric = Regression(name, len(items))
        state = np.zeros(metric.size)
        for part in np.array_split(order, 3):
            metric.count(state, answers[part], references[part], part)
            assert metric.scored(state) <= len(items)
            metric.value(state)  # what a step's logs ask for must not stay
        assert metric.value(state) == function(answers, references).statistic
        assert metric.scored(state) == len(items)
        assert metric.details(state)["mse"] == pytest.approx(mean_squared_error(references, answers), abs=1e-12)
    assert metric.details(state)["pearson"] == stats.pearsonr(answers, references).statistic


@pytest.mark.parametrize("name", Regression.names)
@pytest.mark.parametrize("answers", [[], [1.0], [2.0, 2.0, 2.0], [1.0, float("nan")], [1.0, float("inf"), 3.0]])
def test_what_is_undefined_is_0_and_silent(name: str, answers: list[float]) -> None:
    metric = Regression(name, 5)
    state = np.zeros(metric.size)
    metric.count(state, answers, [1.0, 2.0, 4.0][: len(answers)], range(len(answers)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metric.value(state) == 0
        almost = np.zeros(metric.size)
        metric.count(almost, [1, 1 + 1e-15, 1], [1, 2, 4], range(3))
        assert -1 <= metric.value(almost) <= 1


def test_an_item_answered_twice_counts_once() -> None:
    metric = Regression("pearson", 4)
    state = np.zeros(metric.size)
    metric.count(state, [0.5, 2.0, 1.0, 0.5], [1.0, 2.0, 3.0, 1.0], [0, 2, 3, 0])
    metric.count(state, [2.0], [2.0], [2])
    assert metric.value(state) == stats.pearsonr([0.5, 2.0, 1.0], [1.0, 2.0, 3.0]).statistic
    assert metric.scored(state) == 3
