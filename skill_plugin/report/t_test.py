"""How likely a difference of scores is between runs that do not differ."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Scores = Sequence[float] | NDArray[np.float64]


def t_test(ours: Scores, theirs: Scores, paired: bool) -> float | None:
    """Student's t-test of two means, Welch's of samples that are not paired.

    Args:
        ours, theirs: scores of runs.
        paired: whether those at the same place belong together.

    Returns:
        The probability of a difference as large as theirs, both sides of it; None where a sample has a single run. Of
        runs without any spread, whose test is undefined, 1 for means that are equal and 0 for others.
    """
    if min(len(ours), len(theirs)) < 2:
        return None
    from scipy import stats  # slow to import

    first, second = np.asarray(ours), np.asarray(theirs)
    samples = [first - second] if paired else [first, second]
    if all(np.ptp(sample) == 0 for sample in samples):
        return 1.0 if first.mean() == second.mean() else 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of values that are nearly the same
        test = stats.ttest_rel(first, second) if paired else stats.ttest_ind(first, second, equal_var=False)
    return float(test.pvalue)
