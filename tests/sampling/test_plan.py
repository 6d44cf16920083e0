"""DESIGN, invariant 5: the plan of an epoch."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from skill_plugin.sampling.passes import Passes, cut
from skill_plugin.sampling.plan import PlannedBatch, Planner
from skill_plugin.sampling.probabilities import probabilities

SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=6)


def planner(
    sizes: list[int], alpha: float = 0.5, batch_size: int = 4, max_tokens: int | None = None, seed: int = 1
) -> Planner:
    rng = np.random.default_rng(7)
    lengths = [rng.integers(3, 20, size) for size in sizes]
    return Planner(lengths, probabilities(sizes, "temperature", alpha), batch_size, max_tokens, seed)


def rows(plan: list[PlannedBatch]) -> list[tuple[int, list[int]]]:
    return [(batch.corpus, batch.examples.tolist()) for batch in plan]


@given(SIZES, st.floats(0, 2))
def test_probabilities_follow_equation_7(sizes: list[int], alpha: float) -> None:
    total = sum(sizes)
    weights = [(size / total) ** alpha for size in sizes]
    expected = [weight / sum(weights) for weight in weights]
    np.testing.assert_allclose(probabilities(sizes, "temperature", alpha), expected)


def test_alpha_1_is_proportional_and_0_uniform() -> None:
    sizes = [10, 0, 30]
    np.testing.assert_allclose(probabilities(sizes, "temperature", 1.0), [0.25, 0, 0.75])
    np.testing.assert_allclose(probabilities(sizes, "proportional", 0.3), [0.25, 0, 0.75])
    np.testing.assert_allclose(probabilities(sizes, "temperature", 0.0), [0.5, 0, 0.5])
    np.testing.assert_allclose(probabilities(sizes, "uniform", 0.3), [0.5, 0, 0.5])


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown sampling"):
        probabilities([1], "temprature", 1.0)
    with pytest.raises(ValueError, match="no training examples"):
        probabilities([0, 0], "uniform", 1.0)


@settings(deadline=None)
@given(SIZES, st.integers(1, 9), st.one_of(st.none(), st.integers(15, 60)), st.integers(1, 4))
def test_as_many_batches_as_the_corpora_have_together(
    sizes: list[int], batch: int, tokens: int | None, epoch: int
) -> None:
    plan = planner(sizes, batch_size=batch, max_tokens=tokens)
    expected = sum(len(cut(np.arange(len(n)), n, batch, tokens)) for n in plan.lengths)
    assert len(plan.plan(epoch)) == expected
    if tokens is None:
        assert expected == sum(-(-size // batch) for size in sizes)


@settings(deadline=None)
@given(SIZES, st.one_of(st.none(), st.integers(15, 60)), st.integers(1, 8))
def test_examples_are_drawn_without_replacement_pass_after_pass(
    sizes: list[int], tokens: int | None, epochs: int
) -> None:
    plan = planner(sizes, max_tokens=tokens)
    drawn: list[list[int]] = [[] for _ in sizes]
    for epoch in range(1, epochs + 1):
        for corpus, examples in rows(plan.plan(epoch)):
            drawn[corpus] += examples
    for size, examples in zip(sizes, drawn, strict=True):
        for start in range(0, len(examples), size):
            one_pass = examples[start : start + size]
            assert len(set(one_pass)) == len(one_pass)
            assert all(0 <= example < size for example in one_pass)


def test_passes_are_shuffled_anew() -> None:
    stream = Passes(np.full(50, 5), 50, None, (1,))
    first, second = stream.batches(0, 2)
    assert sorted(first) == sorted(second) == list(range(50))
    assert first.tolist() != second.tolist()


@settings(deadline=None)
@given(SIZES, st.integers(1, 12), st.integers(1, 5))
def test_padding_for_ranks_adds_to_the_end_and_changes_no_other_epoch(
    sizes: list[int], multiple: int, epoch: int
) -> None:
    plan = planner(sizes)
    plain, padded = rows(plan.plan(epoch)), rows(plan.plan(epoch, multiple))
    assert padded[: len(plain)] == plain
    assert len(padded) % multiple == 0
    assert len(padded) - len(plain) < multiple


def test_the_plan_is_a_function_of_seed_and_epoch() -> None:
    assert rows(planner([20, 30]).plan(3)) == rows(planner([20, 30]).plan(3))
    assert rows(planner([20, 30]).plan(3)) != rows(planner([20, 30]).plan(2))
    assert rows(planner([20, 30]).plan(3)) != rows(planner([20, 30], seed=2).plan(3))


@settings(deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=30), st.integers(1, 8), st.integers(1, 60))
def test_batches_keep_to_their_bounds(lengths: list[int], batch_size: int, max_tokens: int) -> None:
    sizes = np.array(lengths)
    batches = cut(np.arange(len(sizes)), sizes, batch_size, max_tokens)
    assert np.concatenate(batches).tolist() == list(range(len(sizes)))
    for batch in batches:
        assert len(batch) <= batch_size
        assert sizes[batch].sum() <= max_tokens or len(batch) == 1


@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0])
def test_shares_of_a_long_plan_fit_the_probabilities(alpha: float) -> None:
    sizes = [4000, 1000, 500, 60]
    plan = planner(sizes, alpha=alpha, batch_size=1)
    counts = Counter(batch.corpus for batch in plan.plan(1))
    observed = [counts[corpus] for corpus in range(len(sizes))]
    assert stats.chisquare(observed, plan.probabilities * sum(observed)).pvalue > 0.001
