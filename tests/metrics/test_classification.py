"""DESIGN, invariant 8: metrics equal the reference library's on the same predictions, however they are split up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from skill_plugin.metrics.classification import Classification, compute_metric, count_confusion

ANSWERS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60)


@pytest.mark.filterwarnings("ignore:A single label")  # of the reference
@settings(deadline=None)
@given(ANSWERS, st.integers(0, 60))
def test_values_are_scikit_learns(answers: list[tuple[int, int]], split: int) -> None:
    targets, predictions = np.array(answers).T
    matrix = count_confusion(targets[:split], predictions[:split], 4) + count_confusion(
        targets[split:], predictions[split:], 4
    )
    expected = {
        "accuracy": reference.accuracy_score(targets, predictions),
        "macro_f1": reference.f1_score(targets, predictions, average="macro"),
        "mcc": reference.matthews_corrcoef(targets, predictions),
    }
    assert {*expected, "f1"} == set(Classification.names)
    for name, value in expected.items():
        assert compute_metric(name, matrix) == pytest.approx(value), name
    for positive in range(4):
        value = reference.f1_score(targets == positive, predictions == positive, zero_division=0)
        assert compute_metric("f1", matrix, positive) == pytest.approx(value)


@pytest.mark.filterwarnings("ignore:A single label")
@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=30))
def test_an_answer_that_is_none_of_the_classes_is_wrong(answers: list[tuple[int, int]]) -> None:
    targets, predictions = np.array(answers).T
    metric = Classification("accuracy", 3, labels=("a", "b", "c"))
    state = np.zeros(metric.size)
    metric.count(state, predictions, targets, range(len(answers)))
    classes = sorted({*targets, *predictions} - {3})
    f1 = reference.f1_score(targets, predictions, labels=classes, average="macro", zero_division=0)
    assert metric.value_of("accuracy", state) == pytest.approx(np.mean(targets == predictions))
    assert metric.value_of("macro_f1", state) == pytest.approx(f1)
    assert metric.value_of("mcc", state) == pytest.approx(reference.matthews_corrcoef(targets, predictions))
    assert metric.scored(state) == len(answers)
    confusion = metric.confusion(predictions.tolist(), targets.tolist())
    assert sum(row.get("(none)", 0) for row in confusion.values()) == (predictions == 3).sum()


def test_nothing_seen_and_constants_are_0() -> None:
    assert compute_metric("accuracy", np.zeros((2, 2), np.int64)) == 0
    assert compute_metric("mcc", np.array([[3, 0], [4, 0]])) == 0
    with pytest.raises(ValueError, match="unknown metric"):
        compute_metric("accurcy", np.eye(2, dtype=np.int64))


def test_the_metric_counts_class_ids() -> None:
    metric = Classification("f1", 3, positive=1)
    state = np.zeros(metric.size)
    metric.count(state, [0, 1, 1, 2], [0, 1, 2, 2], range(4))
    metric.count(state, np.array([], np.int64), np.array([], np.int64), [])
    assert metric.value(state) == pytest.approx(2 / 3)
    assert metric.scored(state) == 4
    assert metric.details(state) == pytest.approx(
        {
            "accuracy": 0.75,
            "f1": 2 / 3,
            "macro_f1": 7 / 9,
            "mcc": reference.matthews_corrcoef([0, 1, 2, 2], [0, 1, 1, 2]),
        }
    )
    assert set(Classification("accuracy", 3).details(state)) == {"accuracy", "macro_f1", "mcc"}
    with pytest.raises(ValueError, match="positive"):
        Classification("f1", 3)
