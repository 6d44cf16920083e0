"""DESIGN, invariant 8: metrics equal the reference library's on the same predictions, however they are split up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from skill_plugin.metrics.classification import classification_metric, confusion
from skill_plugin.metrics.corpus_metrics import CorpusMetric, CorpusMetrics, average

ANSWERS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60)


@settings(deadline=None)
@given(ANSWERS, st.integers(0, 60))
def test_values_are_scikit_learns(answers: list[tuple[int, int]], split: int) -> None:
    targets, predictions = np.array(answers).T
    matrix = confusion(targets[:split], predictions[:split], 4) + confusion(targets[split:], predictions[split:], 4)
    expected = {
        "accuracy": reference.accuracy_score(targets, predictions),
        "macro_f1": reference.f1_score(targets, predictions, average="macro"),
        "mcc": reference.matthews_corrcoef(targets, predictions),
    }
    for name, value in expected.items():
        assert classification_metric(name, matrix) == pytest.approx(value), name
    for positive in range(4):
        value = reference.f1_score(targets == positive, predictions == positive, zero_division=0)
        assert classification_metric("f1", matrix, positive) == pytest.approx(value)


def test_nothing_seen_and_constants_are_0() -> None:
    assert classification_metric("accuracy", np.zeros((2, 2), np.int64)) == 0
    assert classification_metric("mcc", np.array([[3, 0], [4, 0]])) == 0
    with pytest.raises(ValueError, match="unknown metric"):
        classification_metric("accurcy", np.eye(2, dtype=np.int64))


def test_corpora_share_one_vector() -> None:
    corpora = CorpusMetrics(
        [CorpusMetric("a", "accuracy", ("x", "y", "z"), None), CorpusMetric("b", "f1", ("no", "yes"), "yes")]
    )
    state = corpora.empty()
    corpora.count(state, 0, np.array([0, 1, 2]), np.array([0, 1, 1]))
    corpora.count(state, 1, np.array([1, 1, 0]), np.array([1, 0, 0]))
    corpora.count(state, 0, np.array([2]), np.array([2]))
    first, second = corpora
    assert first.value(corpora.part(state, 0)) == pytest.approx(0.75)
    assert first.scored(corpora.part(state, 0)) == 4
    assert second.value(corpora.part(state, 1)) == pytest.approx(2 / 3)
    assert [metric.key for metric in corpora] == ["a_accuracy", "b_f1"]
    assert average([0.5, 1.0]) == 0.75 and average([]) == 0
