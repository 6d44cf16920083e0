"""Annealing, weights and caps: closed forms, and shares of whole plans against them."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from skill_plugin.sampling.annealing import annealed_alpha
from skill_plugin.sampling.plan import Planner
from skill_plugin.sampling.probabilities import probabilities
from skill_plugin.sampling.sampler import Sampler

SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=6)
ALPHAS = st.floats(0, 2)


def planner(sizes: list[int], sampler: Sampler | None, **more: Any) -> Planner:
    return Planner([np.full(size, 5) for size in sizes], sampler, more.pop("batch_size", 2), None, 1, **more)


@given(ALPHAS, ALPHAS, st.integers(2, 40), st.integers(1, 50), st.data())
def test_epochs_of_one_length_anneal_as_pals(
    first: float, last: float, epochs: int, updates: int, data: st.DataObject
) -> None:
    """PALs, with 1.0 and 0.2: alpha = 1 - 0.8 (e - 1) / (E - 1)."""
    max_update = data.draw(st.integers((epochs - 1) * updates + 1, epochs * updates))
    for e in range(1, epochs + 1):
        expected = first - (first - last) * (e - 1) / (epochs - 1)
        assert annealed_alpha(first, last, (e - 1) * updates, updates, max_update) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12).map(lambda n: sorted(n, reverse=True)), st.data())
def test_alpha_never_turns_back_where_epochs_become_shorter(lengths: list[int], data: st.DataObject) -> None:
    """Corpora that are frozen out shorten epochs."""
    max_update = data.draw(st.integers(sum(lengths[:-1]) + 1, 2 * sum(lengths)))
    done, before = 0, 0.0
    for updates in lengths:
        now = annealed_alpha(0.0, 1.0, done, updates, max_update)
        assert before - 1e-12 <= now <= 1
        before, done = now, done + updates


def test_a_run_of_one_epoch_has_the_first_alpha_and_one_that_goes_on_has_the_last() -> None:
    assert annealed_alpha(1.0, 0.4, 0, 10, 7) == 1.0
    assert annealed_alpha(1.0, 0.4, 20, 10, 15) == pytest.approx(0.4)
    assert annealed_alpha(0.7, 0.7, 20, 10, 0) == 0.7


@given(SIZES, ALPHAS, st.integers(1, 40), st.data())
def test_caps_and_weights(sizes: list[int], alpha: float, cap: int, data: st.DataObject) -> None:
    """T5: min(|T_i|, K); weights are factors before all is normalised."""
    weights = data.draw(st.lists(st.floats(0.01, 50), min_size=len(sizes), max_size=len(sizes)))
    expected = np.array([w * min(size, cap) ** alpha for size, w in zip(sizes, weights, strict=True)])
    found = probabilities(sizes, "temperature", alpha, cap, weights)
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-9)


def test_weights_with_uniform_are_unnormalised_probabilities() -> None:
    np.testing.assert_allclose(probabilities([9, 0, 1], "uniform", 1, weights=[3, 5, 1]), [0.75, 0, 0.25])


SHARES = [
    (Sampler("proportional", cap=1000), [1000, 1000, 500, 60]),
    (Sampler("temperature", (0.4, 0.4), cap=1000), [1000**0.4, 1000**0.4, 500**0.4, 60**0.4]),
    (Sampler("proportional", weights=(0.5, 1.0, 2.0, 10.0)), [3000, 2000, 1000, 600]),
    (Sampler("uniform", weights=(1.0, 2.0, 3.0, 4.0)), [1, 2, 3, 4]),
    (Sampler("annealed", (1.0, 0.4), 1), [6000, 2000, 500, 60]),
    (Sampler("annealed", (0.0, 1.0), 1), [1, 1, 1, 1]),
]


@pytest.mark.parametrize("together", [1, 8])
@pytest.mark.parametrize(("sampler", "expected"), SHARES)
def test_shares_of_a_plan_fit_their_closed_forms(together: int, sampler: Sampler, expected: list[float]) -> None:
    plan = planner([6000, 2000, 500, 60], sampler, batch_size=1, corpora_per_batch=together).plan(1)
    counts = Counter(segment.corpus for batch in plan for segment in batch.segments)
    observed = np.array([counts[corpus] for corpus in range(4)])
    shares = np.array(expected) / sum(expected)
    assert stats.chisquare(observed, shares * observed.sum()).pvalue > 0.001


@pytest.mark.parametrize("together", [1, 8])
@pytest.mark.parametrize("alphas", [(1.0, 0.4), (0.0, 1.0)])
def test_annealed_plans_begin_and_end_with_the_two_alphas(together: int, alphas: tuple[float, float]) -> None:
    """MT-TaG's schedule of the future, uniform first and natural after, is 0:1."""
    sizes = [3000, 1000, 250, 30]
    updates = math.ceil(sum(sizes) / (together * 4))  # ranks x update-freq = 4
    sampler = Sampler("annealed", alphas, 4 * updates + 1)  # five epochs, the last one of a single update
    plans = planner(sizes, sampler, batch_size=1, corpora_per_batch=together, update_batches=(4,))
    for epoch in range(1, 6):
        alpha = alphas[0] + (alphas[1] - alphas[0]) * (epoch - 1) / 4
        assert plans.outline(epoch).alpha == pytest.approx(alpha, abs=1e-12)
        plan = plans.plan(epoch)
        assert len(plan) == 4 * updates
        counts = Counter(segment.corpus for batch in plan for segment in batch.segments)
        observed = np.array([counts[corpus] for corpus in range(4)])
        shares = np.array(sizes, float) ** alpha
        assert stats.chisquare(observed, shares / shares.sum() * observed.sum()).pvalue > 0.001


@settings(deadline=None)
@given(
    SIZES,
    st.tuples(ALPHAS, ALPHAS),
    st.lists(st.integers(1, 5), min_size=1, max_size=3),
    st.integers(1, 4),
    st.integers(1, 6),
    st.integers(1, 60),
)
def test_updates_before_an_epoch_are_those_of_the_plans_before_it(
    sizes: list[int],
    alphas: tuple[float, float],
    update_batches: list[int],
    together: int,
    epochs: int,
    max_update: int,
) -> None:
    """--update-freq may be another in each epoch."""
    sampler = Sampler("annealed", alphas, max_update)
    plans = planner(sizes, sampler, corpora_per_batch=together, update_batches=tuple(update_batches))
    done = 0
    for epoch in range(1, epochs + 1):
        multiple = update_batches[min(epoch, len(update_batches)) - 1]
        plan, settled = plans.plan(epoch), plans.outline(epoch)
        assert len(plan) % multiple == 0
        updates = len(plan) // multiple
        assert (settled.done, settled.updates) == (done, updates)
        expected = probabilities(sizes, "annealed", annealed_alpha(*alphas, done, updates, max_update))
        assert settled.probabilities is not None
        np.testing.assert_array_equal(settled.probabilities, expected)
        done += updates


@settings(deadline=None)
@given(SIZES, st.tuples(ALPHAS, ALPHAS), st.integers(1, 5), st.integers(1, 6))
def test_examples_of_annealed_epochs_go_on_where_the_last_epoch_ended(
    sizes: list[int], alphas: tuple[float, float], multiple: int, epochs: int
) -> None:
    """Every pass over a corpus is without replacement, though each epoch has other probabilities."""
    plans = planner(sizes, Sampler("annealed", alphas, 40), update_batches=(multiple,))
    plain = planner(sizes, Sampler("annealed", alphas, 40))
    drawn: list[list[int]] = [[] for _ in sizes]
    for epoch in range(1, epochs + 1):
        for batch in plans.plan(epoch)[: len(plain.plan(epoch))]:  # what fills the last update up is drawn again
            for segment in batch.segments:
                drawn[segment.corpus] += segment.examples.tolist()
    for size, examples in zip(sizes, drawn, strict=True):
        for start in range(0, len(examples), size):
            one_pass = examples[start : start + size]
            assert len(set(one_pass)) == len(one_pass)
