"""What holds for everything that ``--sampling`` may be and that draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skill_plugin.sampling.plan import Planner
from skill_plugin.sampling.probabilities import probabilities
from skill_plugin.sampling.rules import RULES
from skill_plugin.sampling.sampler import Sampler

DRAWING = [name for name, rule in RULES.items() if rule.weigh is not None]


@pytest.mark.parametrize("name", DRAWING)
@given(st.lists(st.integers(0, 9999), min_size=2, max_size=6).filter(any), st.floats(0, 3), st.data())
def test_probabilities(name: str, sizes: list[int], alpha: float, data: st.DataObject) -> None:
    found = probabilities(sizes, name, alpha)
    assert found.sum() == pytest.approx(1)
    assert [q > 0 for q in found] == [size > 0 for size in sizes]
    order = data.draw(st.permutations(range(len(sizes))))
    np.testing.assert_allclose(probabilities([sizes[i] for i in order], name, alpha), found[order])
    weights = np.array(data.draw(st.lists(st.floats(0.1, 9), min_size=len(sizes), max_size=len(sizes))))
    np.testing.assert_allclose(probabilities(sizes, name, alpha, None, weights), found * weights / (found @ weights))
    same = probabilities([size * 3 for size in sizes], name, alpha)
    np.testing.assert_allclose(same, found)
    if not RULES[name].has_alpha:
        np.testing.assert_array_equal(probabilities(sizes, name, alpha + 1), found)
    if not RULES[name].by_size:
        np.testing.assert_array_equal(probabilities([min(size, 1) for size in sizes], name, alpha), found)


@pytest.mark.parametrize("name", DRAWING)
def test_plans_have_the_shares(name: str) -> None:
    sizes = [3000, 900, 250, 60]
    plan = Planner([np.full(size, 5) for size in sizes], Sampler(name, (0.4, 0.4)), 1, None, 1).plan(1)
    drawn = np.bincount([batch.segments[0].corpus for batch in plan], minlength=4)
    assert stats.chisquare(drawn, probabilities(sizes, name, 0.4) * drawn.sum()).pvalue > 0.001
