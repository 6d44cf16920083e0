"""Thresholds of labels, against all combinations of cuts, scored by scikit-learn."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from skill_plugin.kinds.multilabel.threshold_search import LabelThresholds
from skill_plugin.store.encoded_row import EncodedRow


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(1, 3), st.booleans(), st.integers(0, 500))
@example(1, 2, True, 117)  # a logit just below 0 of a label that does not occur
def test_no_cuts_are_better(rows: int, labels: int, together: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(rows, labels)).astype(np.float32)
    given_ = rng.random((rows, labels)) < 0.5
    search = LabelThresholds(labels, together)
    for row, truths in zip(logits, given_, strict=True):
        stored = EncodedRow((), arrays={"label": np.flatnonzero(truths).astype(np.int32)})
        search.add(torch.from_numpy(row)[None], stored, [], None)
    thresholds = search.best()
    average = "micro" if together else "macro"
    score = lambda answers: f1_score(given_, answers, average=average, zero_division=0)  # noqa: E731
    found = 1 / (1 + np.exp(-logits.astype(np.float64))) > np.array(thresholds)
    occurring = given_.any(0)
    every = [(*column - 1e-4, 9.0) if one else (0.0,) for column, one in zip(logits.T, occurring, strict=True)]
    cuts = map(np.array, product(*every))
    if labels == 1:  # which scikit-learn takes for two classes
        average = "binary"
    assert score(found) == pytest.approx(max(score(logits > cut) for cut in cuts))
    assert [t for t, one in zip(thresholds, occurring, strict=True) if not one] == [0.5] * int((~occurring).sum())


def test_what_is_best_already_stays() -> None:
    search = LabelThresholds(2, together=True)
    for logits, label in (([3.0, -2.0], [0]), ([-1.0, 2.0], [1])):
        search.add(torch.tensor([logits]), EncodedRow((), arrays={"label": np.array(label, np.int32)}), [], None)
    assert search.best() == (0.5, 0.5)
