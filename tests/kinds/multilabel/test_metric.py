"""F1 of any number of labels an item is scikit-learn's on indicator matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from skill_plugin.kinds.multilabel.metric import Multilabel

LABELS = ("a", "b", "c", "d")
SOME = st.lists(st.integers(0, 3), unique=True)


@given(st.lists(st.tuples(SOME, SOME), min_size=1))
def test_values_are_scikit_learns(items: list[tuple[list[int], list[int]]]) -> None:
    answers, references = [answer for answer, _ in items], [true for _, true in items]
    given_, true = (np.array([[k in row for k in range(4)] for row in rows]) for rows in (answers, references))
    for average in ("micro", "macro"):
        metric = Multilabel(f"{average}_f1", LABELS)
        state = np.zeros(metric.size)
        metric.count(state, answers, references, range(len(items)))
        expected = reference.f1_score(true, given_, average=average, zero_division=0)
        assert metric.value(state) == pytest.approx(expected, abs=1e-12)
        assert metric.scored(state) == len(items)
    by_label = reference.f1_score(true, given_, average=None, zero_division=0)
    details = metric.details(state)
    assert [details[f"f1_{label}"] for label in LABELS] == pytest.approx(list(by_label), abs=1e-12)


def test_nothing_seen_is_0() -> None:
    for name in Multilabel.names:
        metric = Multilabel(name, LABELS)
        assert metric.value(np.zeros(metric.size)) == 0
