"""Auxiliary corpora have their share, whatever the sampler gives the others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from skill_plugin.sampling.auxiliary import epoch_with_auxiliary, with_auxiliary
from skill_plugin.sampling.plan import Planner
from skill_plugin.sampling.probabilities import probabilities
from skill_plugin.sampling.sampler import Sampler

CORPORA = st.lists(st.tuples(st.integers(0, 500), st.booleans()), min_size=2, max_size=8)


@given(CORPORA, st.floats(0.001, 0.999), st.floats(0, 1.5))
def test_both_sides_keep_their_proportions(corpora: list[tuple[int, bool]], share: float, alpha: float) -> None:
    sizes, masked = map(list, zip(*corpora, strict=True))
    assume(any(size and one for size, one in corpora) and any(size and not one for size, one in corpora))
    before = probabilities(sizes, "temperature", alpha)
    found = with_auxiliary(before, masked, share)
    assert found.sum() == pytest.approx(1)
    assert found[np.array(masked)].sum() == pytest.approx(share)
    for side, total in ((np.array(masked), share), (~np.array(masked), 1 - share)):
        alone = probabilities(np.where(side, sizes, 0).tolist(), "temperature", alpha)
        np.testing.assert_allclose(found[side], total * alone[side])
    assert not found[np.array(sizes) == 0].any()


def test_a_plan_has_them_in_these_shares() -> None:
    sizes, masked = [900, 400, 30, 7000], [False, False, True, True]
    shares = with_auxiliary(probabilities(sizes, "proportional", 1), masked, 0.05)
    np.testing.assert_allclose(shares, [0.95 * 9 / 13, 0.95 * 4 / 13, 0.05 * 30 / 7030, 0.05 * 7000 / 7030])
    sampler = Sampler("proportional", auxiliary=tuple(masked), auxiliary_share=0.05)
    planner = Planner([np.ones(size, np.int64) for size in sizes], sampler, 1, None, seed=3)
    drawn = np.bincount([segment.corpus for batch in planner.plan(1) for segment in batch.segments], minlength=4)
    assert stats.chisquare(drawn, shares * drawn.sum()).pvalue > 1e-3


def test_one_side_has_all_where_the_other_has_none() -> None:
    for shares, masked in (([1.0, 0.0], [False, True]), ([0.5, 0.5], [False, False]), ([0.0, 1.0], [False, True])):
        np.testing.assert_array_equal(with_auxiliary(np.array(shares), masked, 0.1), shares)


@given(CORPORA, st.floats(0.001, 0.999))
def test_an_epoch_is_a_pass_over_the_others(corpora: list[tuple[int, bool]], share: float) -> None:
    batches, masked = map(list, zip(*corpora, strict=True))
    others = sum(number for number, helps in corpora if not helps)
    assume(others and others < sum(batches))
    found = epoch_with_auxiliary(batches, masked, share)
    assert (1 - share) * found == pytest.approx(others, abs=0.5 * (1 - share) + 1e-6)
    more = [number + 1000 * (helps and number > 0) for number, helps in corpora]
    assert epoch_with_auxiliary(more, masked, share) == found


def test_an_epoch_of_one_side_has_its_batches() -> None:
    for batches, masked in (([3, 0], [False, True]), ([3, 4], [False, False]), ([0, 5], [False, True])):
        assert epoch_with_auxiliary(batches, masked, 0.1) == sum(batches)


def test_the_plan_of_an_epoch_is_that_long() -> None:
    sampler = Sampler("proportional", auxiliary=(False, True), auxiliary_share=0.01)
    planner = Planner([np.ones(size, np.int64) for size in (990, 50_000)], sampler, 10, None, seed=1)
    assert len(planner.plan(1)) == planner.outline(1).length == 100
