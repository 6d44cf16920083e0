"""DESIGN, invariant 5: the plan of an epoch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from skill_plugin.sampling.epoch_plan import PlannedBatch
from skill_plugin.sampling.passes import Passes, cut_batches
from skill_plugin.sampling.plan import Planner
from skill_plugin.sampling.probabilities import probabilities
from skill_plugin.sampling.sampler import Sampler
from skill_plugin.sampling.stream import Stream

SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=6)


def planner(
    sizes: list[int],
    alpha: float | None = 0.5,
    batch_size: int = 4,
    max_tokens: int | None = None,
    seed: int = 1,
    together: int = 1,
    multiple: int = 1,
) -> Planner:
    """No alpha: candidates of uncertainty sampling."""
    rng = np.random.default_rng(7)
    lengths = [rng.integers(3, 20, size) for size in sizes]
    sampler = None if alpha is None else Sampler("temperature", (alpha, alpha))
    return Planner(lengths, sampler, batch_size, max_tokens, seed, None, together, (multiple,))


def rows(plan: Sequence[PlannedBatch]) -> list[tuple[int, list[int]]]:
    """The segments of all batches, one after the other."""
    return [(segment.corpus, segment.examples.tolist()) for batch in plan for segment in batch.segments]


def batches(stream: Passes, start: int, count: int) -> list[np.ndarray[Any, Any]]:
    """Batches ``start`` to ``start + count`` of a stream."""
    drawn = Stream(stream, stream.skip(0, start))
    found = [drawn[number] for number in range(count)]
    for number in (count, 0, count // 2):  # where it has come is known without what comes before, too
        assert Stream(stream, stream.skip(0, start)).place_after(number) == stream.skip(0, start + number)
        assert Stream(stream, stream.skip(0, start))[number].tolist() == drawn[number].tolist()
    return found


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
    expected = sum(len(cut_batches(np.arange(len(n)), n, batch, tokens)) for n in plan.lengths)
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
    first, second = batches(stream, 0, 2)
    assert sorted(first) == sorted(second) == list(range(50))
    assert first.tolist() != second.tolist()


@settings(deadline=None)
@given(SIZES, st.integers(1, 12), st.integers(1, 5))
def test_padding_for_ranks_adds_to_the_end_and_changes_no_other_epoch(
    sizes: list[int], multiple: int, epoch: int
) -> None:
    plain, padded = rows(planner(sizes).plan(epoch)), rows(planner(sizes, multiple=multiple).plan(epoch))
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
    batches = cut_batches(np.arange(len(sizes)), sizes, batch_size, max_tokens)
    assert np.concatenate(batches).tolist() == list(range(len(sizes)))
    for batch in batches:
        assert len(batch) <= batch_size
        assert sizes[batch].sum() <= max_tokens or len(batch) == 1


@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0])
def test_shares_of_a_long_plan_fit_the_probabilities(alpha: float) -> None:
    sizes = [4000, 1000, 500, 60]
    plan = planner(sizes, alpha=alpha, batch_size=1)
    counts = Counter(corpus for corpus, _ in rows(plan.plan(1)))
    observed = [counts[corpus] for corpus in range(len(sizes))]
    expected = probabilities(sizes, "temperature", alpha) * sum(observed)
    assert stats.chisquare(observed, expected).pvalue > 0.001


@pytest.mark.parametrize(
    ("max_tokens", "epoch", "multiple", "expected"),
    [
        (None, 2, 4, [(1, [4, 8]), (1, [1, 5]), (0, [3, 1]), (0, [4, 0]), (1, [6, 3]), (1, [7, 0]), (2, [2, 0]),
                      (0, [2]), (0, [2, 3]), (0, [1, 0]), (2, [1]), (1, [2])]),
        (30, 3, 1, [(1, [0, 2]), (2, [1]), (2, [0, 1]), (1, [0, 2]), (0, [2]), (0, [3]), (2, [2]), (1, [7, 8]),
                    (1, [1, 5]), (1, [4, 3])]),
    ],
)  # fmt: skip
def test_plans_stay_what_they_were(
    max_tokens: int | None, epoch: int, multiple: int, expected: list[tuple[int, list[int]]]
) -> None:
    """Runs of earlier versions resume."""
    plan = planner([5, 9, 3], batch_size=2, seed=3, max_tokens=max_tokens, multiple=multiple).plan(epoch)
    assert all(len(batch.segments) == 1 for batch in plan)
    assert rows(plan) == expected


@settings(deadline=None)
@given(SIZES, st.integers(1, 9), st.integers(1, 6), st.integers(1, 4))
def test_draws_of_several_corpora_are_those_of_single_ones_in_a_row(
    sizes: list[int], together: int, multiple: int, epoch: int
) -> None:
    singles = rows(planner(sizes).plan(epoch))
    plan = planner(sizes, together=together, multiple=multiple).plan(epoch)
    assert all(len(batch.segments) == together for batch in plan)
    assert len(plan) % multiple == 0
    assert rows(plan)[: len(singles)] == singles
    assert len(plan) == -(-len(singles) // (together * multiple)) * multiple


@settings(deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(1, 9), st.integers(20, 200))
def test_the_parts_of_a_batch_share_its_tokens(sizes: list[int], together: int, max_tokens: int) -> None:
    plan = planner(sizes, batch_size=64, max_tokens=max_tokens, together=together)
    for batch in plan.plan(1):
        tokens = [plan.lengths[segment.corpus][segment.examples].sum() for segment in batch.segments]
        if all(len(segment.examples) > 1 for segment in batch.segments):
            assert sum(tokens) <= max_tokens


@pytest.mark.parametrize("together", [1, 8])
@pytest.mark.parametrize(
    ("sampling", "alpha", "exponent"), [("proportional", 0.3, 1.0), ("temperature", 0.4, 0.4), ("uniform", 0.3, 0.0)]
)
def test_shares_do_not_depend_on_how_many_corpora_are_together(
    together: int, sampling: str, alpha: float, exponent: float
) -> None:
    """Closed form: |T_i|^alpha / sum_j |T_j|^alpha; draws within a batch are independent, repeats allowed."""
    sizes = [6000, 2000, 500, 60]
    lengths = [np.full(size, 5) for size in sizes]
    plan = Planner(lengths, Sampler(sampling, (alpha, alpha)), 1, None, 1, corpora_per_batch=together).plan(1)
    drawn = np.array([[segment.corpus for segment in batch.segments] for batch in plan])
    shares = np.array(sizes, float) ** exponent
    shares /= shares.sum()
    assert stats.chisquare(np.bincount(drawn.ravel(), minlength=4), shares * drawn.size).pvalue > 0.001
    for place in range(together):
        assert stats.chisquare(np.bincount(drawn[:, place], minlength=4), shares * len(drawn)).pvalue > 0.001
    if together > 1:
        pairs = np.bincount(drawn[:, 0] * 4 + drawn[:, 1], minlength=16)
        assert stats.chisquare(pairs, np.outer(shares, shares).ravel() * len(drawn)).pvalue > 0.001


@settings(deadline=None)
@given(SIZES, st.integers(1, 9), st.one_of(st.none(), st.integers(25, 60)), st.integers(1, 4), st.integers(1, 5))
def test_candidates_are_every_corpus_s_next_batch(
    sizes: list[int], batch_size: int, max_tokens: int | None, multiple: int, epochs: int
) -> None:
    """A loop of algorithm 2's lines on D_t: b of what is left, reloaded when nothing is."""
    plan = planner(sizes, None, batch_size, max_tokens, multiple=multiple)
    whole = [planner(sizes, 0.5, batch_size, max_tokens).plan(epoch) for epoch in range(1, epochs + 1)]
    left: list[set[int]] = [set() for _ in sizes]
    for epoch in range(1, epochs + 1):
        batches = plan.plan(epoch)
        assert len(batches) % multiple == 0
        assert 0 <= len(batches) - len(whole[epoch - 1]) < multiple  # as many as other samplers have
        for batch in batches[: len(whole[epoch - 1])]:
            assert [segment.corpus for segment in batch.segments] == list(range(len(sizes)))
            for corpus, examples in rows([batch]):
                left[corpus] = left[corpus] or set(range(sizes[corpus]))
                assert set(examples) <= left[corpus]
                assert len(set(examples)) == len(examples)
                if max_tokens is None:
                    assert len(examples) == min(batch_size, len(left[corpus]))
                left[corpus] -= set(examples)


def test_candidates_of_an_empty_corpus() -> None:
    (batch,) = planner([3, 0], None).plan(1)
    assert [segment.corpus for segment in batch.segments] == [0]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 4)), min_size=1, max_size=30),
    st.integers(1, 8),
    st.one_of(st.none(), st.integers(1, 400)),
    st.booleans(),
    st.integers(0, 40),
)
def test_the_stream_is_that_of_one_pass_after_the_other(
    examples: list[tuple[int, int]], batch_size: int, max_tokens: int | None, several: bool, start: int
) -> None:
    """Wherever it is entered, and whether or not max_tokens can ever bind; each batch takes what still fits."""
    lengths, sequences = (np.array(column) for column in zip(*examples, strict=True))
    sequences = sequences if several else np.ones_like(lengths)
    expected: list[list[int]] = []
    for number in range(start + 5):
        batch: list[int] = []
        for example in np.random.default_rng([7, number]).permutation(len(lengths)):
            one = [*batch, int(example)]
            within = sequences[one].sum() <= batch_size and (max_tokens is None or lengths[one].sum() <= max_tokens)
            if batch and not within:
                expected.append(batch)
                batch = []
            batch.append(int(example))
        expected.append(batch)
    found = batches(Passes(lengths, batch_size, max_tokens, (7,), sequences), start, 5)
    assert [batch.tolist() for batch in found] == expected[start : start + 5]


def test_sizes_are_rows_where_they_are_told() -> None:
    """A long text of many windows is one training example in equation 7; all of its windows are still planned."""
    lengths = [np.full(60, 5), np.full(20, 5)]
    told = Planner(lengths, Sampler("proportional", (1.0, 1.0)), 1, None, 1, rows=[20, 20])
    np.testing.assert_allclose(told.outline(1).probabilities, [0.5, 0.5])
    assert told.outline(1).length == 80
