"""Weights of labels and smoothed truths, against loops, scikit-learn and torch."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.class_weight import compute_class_weight

from skill_plugin.objectives.categorical import IGNORED, Categorical
from skill_plugin.objectives.emphasis import Emphasis, weigh_outcomes
from skill_plugin.objectives.independent_labels import IndependentLabels
from tests.objectives.direct import SCALES, outputs, whole

COUNTS = st.lists(st.integers(0, 50), min_size=1, max_size=6).filter(any)
SMOOTHINGS = st.sampled_from([0.0, 0.1, 0.9])


@given(COUNTS)
def test_balanced_weights_are_scikit_learns(counts: list[int]) -> None:
    classes = [c for c, number in enumerate(counts) for _ in range(number)]
    expected = np.ones(len(counts))
    expected[np.unique(classes)] = compute_class_weight("balanced", classes=np.unique(classes), y=classes)
    found = weigh_outcomes(np.array(counts), None)
    np.testing.assert_allclose(found, expected)
    assert np.mean(found[classes]) == pytest.approx(1)


@given(COUNTS, st.integers(0, 100))
def test_given_weights_keep_their_ratios_and_are_1_in_the_mean(counts: list[int], seed: int) -> None:
    factors = np.random.default_rng(seed).uniform(0.1, 9, len(counts))
    found = weigh_outcomes(np.array(counts), factors)
    np.testing.assert_allclose(found / found[0], factors / factors[0])
    assert np.average(found, weights=counts) == pytest.approx(1)
    of_classes = Categorical().weigh_labels(np.array(counts), sum(counts), factors)
    torch.testing.assert_close(of_classes, torch.from_numpy(found).float())


def test_weights_of_what_does_not_occur_alone_are_refused() -> None:
    with pytest.raises(ValueError, match="no label that occurs"):
        weigh_outcomes(np.array([3, 0]), np.array([0.0, 2.0]))


@given(st.integers(0, 6), st.integers(1, 5), SCALES, SMOOTHINGS)
def test_one_class_a_unit(units: int, classes: int, scale: float, smoothing: float) -> None:
    logits, right = outputs(units, classes, units, scale), whole(units, classes, classes)
    weights = torch.rand(classes, generator=torch.Generator().manual_seed(classes)) * 3
    found = Categorical().learned_losses(logits, {"classes": right}, Emphasis(weights, smoothing))
    expected = []
    for row, c in zip(logits.double().log_softmax(1).tolist(), right.tolist(), strict=True):
        truth = [smoothing / classes + (1 - smoothing) * (k == c) for k in range(classes)]
        expected.append(-math.fsum(w * t * x for w, t, x in zip(weights.tolist(), truth, row, strict=True)))
    torch.testing.assert_close(found.values.double(), torch.tensor(expected).double(), atol=1e-4, rtol=1e-4)
    assert (found.classes, found.known) == (classes, None)
    found.values.sum().backward()
    assert logits.grad is not None and logits.grad.isfinite().all()


def test_an_unknown_class_has_no_loss_still() -> None:
    family, target = Categorical(many_units=True, has_unknown=True), {"classes": torch.tensor([1, IGNORED])}
    losses = family.learned_losses(outputs(2, 3, 0), target, Emphasis(torch.tensor([1.0, 2.0, 3.0]), 0.1))
    assert losses.known is not None and losses.known.tolist() == [True, False]
    assert losses.values[1] == 0 and losses.values[0] > 0


@given(st.integers(0, 5), st.integers(1, 4), SCALES, SMOOTHINGS)
def test_labels_by_themselves(units: int, classes: int, scale: float, smoothing: float) -> None:
    logits, given_ = outputs(units, classes, units, scale), whole(units * classes, 2, 3).view(units, classes)
    weights = torch.rand(classes, 2, generator=torch.Generator().manual_seed(classes)) * 3
    found = IndependentLabels().learned_losses(logits, {"labels": given_}, Emphasis(weights, smoothing))
    expected = []
    for row, truths in zip(logits.tolist(), given_.tolist(), strict=True):
        total = 0.0
        for x, y, (absent, present) in zip(row, truths, weights.tolist(), strict=True):
            true = (1 - smoothing) * y + smoothing / 2
            total += present * true * math.log1p(math.exp(-abs(x))) + present * true * max(-x, 0)
            total += absent * (1 - true) * (math.log1p(math.exp(-abs(x))) + max(x, 0))
        expected.append(total / classes)
    torch.testing.assert_close(found.values.double(), torch.tensor(expected).double(), atol=1e-3, rtol=1e-4)


def test_weights_of_labels_by_themselves() -> None:
    """A weight is that of a row with the label beside one without, and 1 in the mean over rows of each label."""
    counts, rows = np.array([2, 8, 0]), 8
    balanced = IndependentLabels().weigh_labels(counts, rows, None)
    torch.testing.assert_close(balanced, torch.tensor([[8 / 12, 2.0], [1.0, 1.0], [1.0, 1.0]]))
    found = IndependentLabels().weigh_labels(counts, rows, np.array([3.0, 1.0, 5.0]))
    torch.testing.assert_close(found[:, 1] / found[:, 0], torch.tensor([3.0, 1.0, 5.0]))
    assert (found.double() * torch.tensor([[6, 2], [0, 8], [8, 0]])).sum(1).tolist() == pytest.approx([8, 8, 8])
