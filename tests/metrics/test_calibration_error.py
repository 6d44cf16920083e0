"""Calibration errors, against scikit-learn's curve; states add up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from skill_plugin.metrics.calibration_error import BINS, CalibrationError


@given(st.integers(1, 60), st.integers(1, 6), st.integers(0, 9))
def test_against_scikit_learn_in_any_parts(answers: int, parts: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sure, right = rng.uniform(size=answers), rng.random(answers) < 0.6
    error, state = CalibrationError(), np.zeros(CalibrationError.size)
    for part in np.array_split(np.arange(answers), parts):  # batches, or ranks
        own = np.zeros(error.size)
        error.count(own, sure[part], right[part])
        state += own
    shares, means = calibration_curve(right, sure, n_bins=BINS)
    numbers = np.histogram(sure, BINS, (0, 1))[0]
    kept = [one for one in error.bins(state) if one.n]
    assert [one.n for one in kept] == numbers[numbers > 0].tolist()
    np.testing.assert_allclose([one.accuracy for one in kept], shares)
    np.testing.assert_allclose([one.confidence for one in kept], means)
    assert error.value(state) == pytest.approx(np.sum(numbers[numbers > 0] * np.abs(shares - means)) / answers)


def test_nothing_and_certainty() -> None:
    error, state = CalibrationError(), np.zeros(CalibrationError.size)
    assert error.value(state) is None
    error.count(state, np.array([1.0, 1.0]), np.array([True, False]))
    assert (error.value(state), error.bins(state)[-1].n) == (0.5, 2)
