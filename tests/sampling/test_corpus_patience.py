"""Corpora that have peaked leave the plan."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from skill_plugin.sampling.corpus_patience import BestValidation, CorpusPatience
from skill_plugin.sampling.epoch_plan import PlannedBatch
from skill_plugin.sampling.plan import Planner
from skill_plugin.sampling.sampler import Sampler

SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=5)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=15), st.integers(1, 4), st.booleans())
def test_a_corpus_has_peaked_as_fairseq_s_patience_counts(scores: list[int], patience: int, higher: bool) -> None:
    """The lines of ``should_stop_early``, for the scores of one corpus."""
    best, runs, stopped = None, 0, None
    for epoch, score in enumerate(scores, 1):
        if best is None or (score > best if higher else score < best):
            best, runs = score, 0
        else:
            runs += 1
            if runs >= patience:
                stopped = epoch
                break
    found = CorpusPatience(patience, ["a"])
    for epoch, score in enumerate(scores, 1):
        peaked = found.validated(epoch, 10 * epoch, {"a": float(score)}, {"a": higher})
        assert bool(peaked) == (epoch == stopped)
    assert found.frozen_out == ({} if stopped is None else {"a": stopped + 1})
    assert found.finished == (stopped is not None)


def test_what_was_the_best_and_who_stays() -> None:
    found = CorpusPatience(2, ["a", "mlm", "without"])
    higher = {"a": True, "mlm": False, "tested": True}
    for epoch, (a, mlm) in enumerate([(0.5, 9.0), (0.7, 8.0), (0.7, 7.0)], 1):
        assert not found.validated(epoch, 5 * epoch, {"a": a, "mlm": mlm, "tested": 0.1}, higher)
    assert found.validated(4, 20, {"a": 0.6, "mlm": 7.5, "tested": 0.1}, higher) == {"a": BestValidation(0.7, 10, 2)}
    assert not found.validated(5, 25, {"a": 0.9, "mlm": 6.0}, higher)  # once frozen out, always
    for epoch in (6, 7):
        found.validated(epoch, 5 * epoch, {"a": 0.9, "mlm": 6.0}, higher)
    assert found.frozen_out == {"a": 5, "mlm": 8}
    assert not found.finished  # one that is never validated never peaks


def test_a_run_does_not_go_on_for_auxiliary_corpora() -> None:
    found = CorpusPatience(1, ["a", "text", "unvalidated"], ["text", "unvalidated"])
    for epoch, text in enumerate((9.0, 8.0, 7.0), 1):
        assert not found.finished
        found.validated(epoch, epoch, {"a": 0.5 + 0.1 * (epoch == 2), "text": text}, {"a": True, "text": False})
    assert found.frozen_out == {"a": 4}
    assert found.finished


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12), st.data())
def test_a_run_goes_on_from_its_state(scores: list[tuple[int, int]], data: st.DataObject) -> None:
    stop = data.draw(st.integers(1, len(scores) - 1))
    whole, first = CorpusPatience(2, ["a", "b"]), CorpusPatience(2, ["a", "b"])
    higher = {"a": True, "b": False}

    def validate(one: CorpusPatience, epoch: int) -> None:
        a, b = scores[epoch]
        one.validated(epoch, epoch, {"a": float(a), "b": float(b)}, higher)

    for epoch in range(len(scores)):
        validate(whole, epoch)
    for epoch in range(stop):
        validate(first, epoch)
    second = CorpusPatience(2, ["a", "b"])
    second.load_state(json.loads(json.dumps(first.to_state())))
    for epoch in range(stop, len(scores)):
        validate(second, epoch)
    assert second.to_state() == whole.to_state()


def planner(sizes: list[int], frozen_out: dict[int, int], sampler: Sampler | None, batch_size: int = 2) -> Planner:
    return Planner([np.full(size, 5) for size in sizes], sampler, batch_size, None, 1, frozen_out=frozen_out)


def segments(plan: Sequence[PlannedBatch]) -> list[tuple[int, list[int]]]:
    return [(segment.corpus, segment.examples.tolist()) for batch in plan for segment in batch.segments]


@pytest.mark.parametrize("sampler", [Sampler("proportional"), Sampler("annealed", (1.0, 0.2), 30), None])
@settings(deadline=None)
@given(sizes=SIZES, data=st.data())
def test_plans_without_what_is_frozen_out(sampler: Sampler | None, sizes: list[int], data: st.DataObject) -> None:
    frozen_out = data.draw(st.dictionaries(st.integers(0, len(sizes) - 1), st.integers(2, 5)))
    plans, before = planner(sizes, frozen_out, sampler), planner(sizes, {}, sampler)
    drawn: list[list[int]] = [[] for _ in sizes]
    for epoch in range(1, 7):
        plan = plans.plan(epoch)
        left = [i for i in range(len(sizes)) if frozen_out.get(i, 9) > epoch]
        assert len(plan) == sum(-(-sizes[i] // 2) for i in left)
        assert {corpus for corpus, _ in segments(plan)} <= set(left)
        if epoch < min(frozen_out.values(), default=9):
            assert segments(plan) == segments(before.plan(epoch))
        for corpus, examples in segments(plan):
            drawn[corpus] += examples
    for size, examples in zip(sizes, drawn, strict=True):  # passes go on from epoch to epoch
        for start in range(0, len(examples), size):
            one_pass = examples[start : start + size]
            assert len(set(one_pass)) == len(one_pass)


def test_its_share_goes_to_the_others_in_proportion() -> None:
    sizes = [6000, 2000, 500, 60]
    plans = planner(sizes, {1: 2}, Sampler("temperature", (0.5, 0.5)), batch_size=1)
    for epoch, left in ((1, [0, 1, 2, 3]), (2, [0, 2, 3])):
        counts = Counter(corpus for corpus, _ in segments(plans.plan(epoch)))
        shares = np.array([sizes[i] ** 0.5 for i in left])
        total = sum(sizes[i] for i in left)
        assert counts.total() == total
        observed = [counts[i] for i in left]
        assert stats.chisquare(observed, shares / shares.sum() * total).pvalue > 0.001


def test_nothing_is_left() -> None:
    for sampler in (Sampler("uniform"), None):
        plans = planner([4, 6], {0: 2, 1: 3}, sampler)
        assert [len(plans.plan(epoch)) for epoch in (1, 2, 3, 4)] == [5, 3, 0, 0]
