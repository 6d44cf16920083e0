"""Bootstrap intervals are scipy's, but for what the draws differ in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from skill_plugin.report.bootstrap import bootstrap_interval

RANDOM = np.random.default_rng(3)
VALUES, OTHERS = RANDOM.normal(size=12), RANDOM.normal(size=7)
TABLE = RANDOM.normal(size=(4, 6))


def scipy_interval(samples: list[NDArray[Any]], statistic: Any) -> tuple[float, float]:
    found = stats.bootstrap(samples, statistic, n_resamples=20_000, method="percentile", vectorized=True, rng=5)
    return found.confidence_interval.low, found.confidence_interval.high


def test_means_of_one_sample_and_of_two() -> None:
    one = bootstrap_interval(lambda chosen: VALUES[chosen].mean(1), 12)
    assert one == pytest.approx(scipy_interval([VALUES], np.mean), abs=0.02)
    two = bootstrap_interval(lambda a, b: VALUES[a].mean(1) - OTHERS[b].mean(1), 12, 7)
    assert two == pytest.approx(
        scipy_interval([VALUES, OTHERS], lambda a, b, axis: a.mean(axis) - b.mean(axis)), abs=0.03
    )


def test_rows_and_columns_of_a_table() -> None:
    def mean(rows: NDArray[Any], columns: NDArray[Any], axis: int = -1) -> Any:
        return TABLE[rows[..., :, None].astype(int), columns[..., None, :].astype(int)].mean(axis=(-1, -2))

    theirs = scipy_interval([np.arange(4), np.arange(6)], mean)
    assert bootstrap_interval(mean, 4, 6) == pytest.approx(theirs, abs=0.03)


def test_a_sample_of_one_stays_and_seeds_are_fixed() -> None:
    assert bootstrap_interval(lambda a: VALUES[a].mean(1), 1) == (VALUES[0], VALUES[0])
    rows = [bootstrap_interval(lambda a, b: TABLE[a, b].mean(1), 1, 6) for _ in range(2)]
    assert rows[0] == rows[1] and rows[0][0] < rows[0][1]
