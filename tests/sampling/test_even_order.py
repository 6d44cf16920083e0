"""Every beginning of the order holds the strata in their shares."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.sampling.even_order import even_order

STRATA = st.lists(st.integers(0, 6), max_size=80).map(lambda drawn: np.array(drawn, np.int64))
SEEDS = st.integers(0, 9)


@given(STRATA, SEEDS)
def test_all_rows_in_an_order_that_the_seed_decides(strata: np.ndarray, seed: int) -> None:
    order = even_order(strata, seed)
    assert sorted(order.tolist()) == list(range(len(strata)))
    assert order.tolist() == even_order(strata, seed).tolist()


@given(STRATA, SEEDS)
def test_no_stratum_is_a_whole_row_ahead_of_its_share(strata: np.ndarray, seed: int) -> None:
    """One share of all strata explains the rows of each, but for less than one row."""
    order = even_order(strata, seed)
    sizes = np.bincount(strata, minlength=7)
    for end in range(1, len(order)):
        taken = np.bincount(strata[order[:end]], minlength=7)
        there = sizes > 0
        least, most = (taken[there] - 1) / sizes[there], (taken[there] + 1) / sizes[there]
        assert least.max() < most.min()


def test_a_row_of_a_stratum_of_its_own_is_as_likely_as_any_other() -> None:
    strata = np.array([*range(40), *[40] * 60])
    taken = np.zeros(100)
    for seed in range(400):
        taken[even_order(strata, seed)[:20]] += 1
    expected, deviation = 80, 8  # of 400 draws with a share of 20 %
    assert abs(taken[:40].mean() - expected) < deviation
    assert abs(taken[40:].mean() - expected) < deviation
    assert (abs(taken - expected) < 5 * deviation).all()
