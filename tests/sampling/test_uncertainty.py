"""Equations 3.4 and 3.5 of CA-MTL, and what is chosen by them."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.sampling.uncertainty import choose_most_uncertain, uncertainties

ENTROPIES = st.lists(st.floats(0, 5).map(lambda value: round(value, 6)), min_size=1, max_size=8)


@given(st.lists(st.tuples(ENTROPIES, st.integers(2, 9)), min_size=1, max_size=5))
def test_entropies_over_the_most_they_can_be_and_the_highest_mean(corpora: list[tuple[list[float], int]]) -> None:
    found = uncertainties(
        [np.array(values) for values, _ in corpora], [np.full(len(values), math.log(c)) for values, c in corpora]
    )
    highest = max(sum(values) / len(values) for values, _ in corpora)
    for one, (values, classes) in zip(found, corpora, strict=True):
        most = -sum(1 / classes * math.log(1 / classes) for _ in range(classes))
        expected = [value / most / highest if highest else 0.0 for value in values]
        np.testing.assert_allclose(one, expected, rtol=1e-12)


def test_no_choice_is_no_uncertainty() -> None:
    one, two = uncertainties([np.array([0.0, 0.5]), np.array([0.0])], [np.array([0.0, 1.0]), np.array([0.0])])
    assert one.tolist() == [0.0, 2.0]
    assert two.tolist() == [0.0]


@given(st.lists(st.floats(0, 3), min_size=1, max_size=30), st.integers(1, 10))
def test_the_b_most_uncertain(values: list[float], b: int) -> None:
    n = len(values)
    chosen = choose_most_uncertain(np.array(values), np.full(n, 7), b, None, np.ones(n, np.int64))
    assert chosen.tolist() == sorted(sorted(range(n), key=lambda i: (-values[i], i))[:b])


@given(
    st.lists(st.tuples(st.floats(0, 3), st.integers(1, 20), st.integers(1, 4)), min_size=1, max_size=20),
    st.integers(1, 10),
    st.integers(1, 60),
)
def test_the_bounds_of_a_batch(candidates: list[tuple[float, int, int]], b: int, max_tokens: int) -> None:
    values, lengths, sequences = map(np.array, zip(*candidates, strict=True))
    chosen = choose_most_uncertain(values, lengths, b, max_tokens, sequences)
    assert len(chosen) == 1 or (lengths[chosen].sum() <= max_tokens and sequences[chosen].sum() <= b)
    others = np.setdiff1d(np.arange(len(values)), chosen)
    if len(others):
        following = others[np.argmax(values[others])]
        assert values[chosen].min() >= values[following]
        more = np.append(chosen, following)
        assert lengths[more].sum() > max_tokens or sequences[more].sum() > b
