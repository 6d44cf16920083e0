"""Lengths of what is read together, as numbers and as histograms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.checking.lengths import Histogram, LengthSummary


def test_lengths() -> None:
    assert LengthSummary.of([]) is None
    found = LengthSummary.of(range(1, 101))
    assert found is not None
    assert (found.mean, found.median, found.p95, found.maximum) == (50.5, 50, 95, 100)
    assert found.histogram == Histogram((0, 8, 16, 32, 64, 128), (7, 8, 16, 32, 37))
    assert LengthSummary.of([7]) == LengthSummary(7.0, 7, 7, 7, Histogram((0, 8), (1,)))


@given(st.lists(st.integers(0, 100_000), min_size=1))
def test_every_value_is_in_the_bin_between_its_edges(values: list[int]) -> None:
    found = Histogram.of(values)
    for (low, high), count in zip(pairwise(found.edges), found.counts, strict=True):
        assert count == sum(low <= value < high for value in values)
    assert sum(found.counts) == len(values)
    assert found.edges[-2] <= max(values) < found.edges[-1]
    lengths = LengthSummary.of(values)
    assert lengths is not None
    assert lengths.median == np.percentile(values, 50, method="inverted_cdf")
