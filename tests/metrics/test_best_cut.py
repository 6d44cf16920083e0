"""The best cut, against all cuts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.metrics.best_cut import best_cut

NUMBERS = st.sampled_from([-2.0, -1.0, -0.25, 0.0, 0.5, 1.0, 3.0])


@given(st.lists(st.tuples(NUMBERS, st.sampled_from([-1.0, -0.5, 0.0, 0.7, 1.0])), min_size=1, max_size=8), NUMBERS)
def test_no_cut_is_better_and_none_as_good_is_nearer(pairs: list[tuple[float, float]], usual: float) -> None:
    values, gains = (np.array(column) for column in zip(*pairs, strict=True))
    found = best_cut(values, gains, usual)
    every = [usual, *(values + 1e-6), *(values - 1e-6), *(values - 1), *(values + 1)]
    sums = {cut: float(gains[values > cut].sum()) for cut in every}
    best = max(sums.values())
    assert gains[values > found].sum() == pytest.approx(best)
    if sums[usual] == pytest.approx(best):
        assert found == usual
    nearest = min(abs(cut - usual) for cut in named(values, usual) if gains[values > cut].sum() == pytest.approx(best))
    assert abs(found - usual) == nearest


def named(values: np.ndarray, usual: float) -> list[float]:
    """A cut below all values, one between every two, and one above all: ``usual`` where it does the same."""
    places = sorted(set(values))
    between = [(low + high) / 2 for low, high in pairwise(places)]
    edges = [-np.inf, *places, np.inf]
    cuts = zip([places[0] - 1, *between, places[-1] + 1], pairwise(edges), strict=True)
    return [usual if low <= usual < high else cut for cut, (low, high) in cuts]
