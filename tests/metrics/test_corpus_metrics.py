"""DESIGN, invariant 8: whatever the parts that items came in, their states add up to the state of the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.kinds.labelling.metric import Labelling
from skill_plugin.kinds.masked_lm.metric import MaskedAnswer, MaskedLm
from skill_plugin.kinds.multilabel.metric import Multilabel
from skill_plugin.kinds.ranking.metric import Ranked, Ranking
from skill_plugin.kinds.registry import is_cost, kind_named, kind_names
from skill_plugin.kinds.regression.metric import Regression
from skill_plugin.kinds.span.metric import Span
from skill_plugin.metrics.calibration_error import CalibrationError
from skill_plugin.metrics.classification import Classification
from skill_plugin.metrics.corpus_metrics import CorpusMetric, CorpusMetrics
from skill_plugin.metrics.metric import Metric
from skill_plugin.spec.averages import AVERAGE, WORST

MOST = 12  # items
SCORE = st.floats(0, 1)
IDS = st.lists(st.integers(0, 2), unique=True)
TAG = st.sampled_from(["O", "B-x", "I-x", "I-y"])
TEXT = st.text("ab Ä北.", max_size=6)


@st.composite
def ranked(draw: st.DrawFn) -> tuple[Ranked, list[int]]:
    rows = draw(st.lists(st.tuples(SCORE, st.booleans(), st.integers(0, 3)), min_size=1, max_size=4))
    scores, positive, relevance = zip(*rows, strict=True)
    return Ranked(scores, positive), list(relevance)


# metric, by what it is made beside its name, and what it compares for an item
KINDS: dict[str, tuple[type[Metric[Any, Any]], tuple[Any, ...], st.SearchStrategy[tuple[Any, Any]]]] = {
    "classification": (
        Classification,
        (3, 1),
        st.tuples(st.integers(0, 2), st.integers(0, 2)),
    ),
    "word_in_context": (Classification, (2, 1), st.tuples(st.integers(0, 1), st.integers(0, 1))),
    "next_sentence": (Classification, (2,), st.tuples(st.integers(0, 1), st.integers(0, 1))),
    "multilabel": (Multilabel, (("a", "b", "c"),), st.tuples(IDS, IDS)),
    "regression": (Regression, (MOST,), st.tuples(SCORE, SCORE)),
    "ranking": (Ranking, (), ranked()),
    "labelling": (
        Labelling,
        (("O", "B-x", "I-x", "I-y"),),
        st.lists(st.tuples(TAG, TAG), min_size=1, max_size=6).map(lambda words: tuple(zip(*words, strict=True))),
    ),
    "span": (Span, ("zh",), st.tuples(TEXT, st.lists(TEXT, max_size=2))),
    "masked_lm": (
        MaskedLm,
        (),
        st.tuples(st.builds(MaskedAnswer, st.floats(0, 9), st.integers(0, 3)), st.integers(3, 9)),
    ),
}
CASES = [(kind, name) for kind in kind_names() for name in kind_named(kind).metrics]


def count(metric: Metric[Any, Any], items: list[tuple[Any, Any]], numbers: list[int]) -> np.ndarray:
    state = np.zeros(metric.size)
    metric.count(state, [items[n][0] for n in numbers], [items[n][1] for n in numbers], numbers)
    return state


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_states_of_parts_add_up(kind: str, name: str) -> None:
    made, arguments, item = KINDS[kind]

    @settings(max_examples=30, deadline=None)
    @given(st.lists(item, max_size=MOST), st.data())
    def check(items: list[tuple[Any, Any]], data: st.DataObject) -> None:
        metric = made(name, *arguments)
        ranks = data.draw(st.lists(st.integers(0, 2), min_size=len(items), max_size=len(items)))
        whole = count(metric, items, list(range(len(items))))
        parts = [count(metric, items, [n for n, r in enumerate(ranks) if r == rank]) for rank in range(3)]
        np.testing.assert_allclose(np.sum(parts, axis=0), whole, rtol=1e-12, atol=1e-12)
        assert metric.value(np.sum(parts, axis=0)) == pytest.approx(metric.value(whole), abs=1e-9)
        assert metric.scored(whole) == sum(map(metric.scored, parts)) == len(items)
        assert metric.details(whole)[name] == metric.value(whole)
        assert all(isinstance(value, float) for value in [metric.value(whole), *metric.details(whole).values()])
        assert metric.higher_is_better == (not is_cost(name)) == (name not in kind_named(kind).costs)
        if metric.in_unit_interval and name not in ("pearson", "spearman", "mcc"):
            assert 0 <= metric.value(whole) <= 1

    check()


def test_unknown_names() -> None:
    with pytest.raises(KeyError, match="clasification"):
        kind_named("clasification")
    for made, arguments, _ in KINDS.values():
        with pytest.raises(ValueError, match="unknown metric 'recal'"):
            made("recal", *arguments)


def test_corpora_share_one_vector() -> None:
    corpora = CorpusMetrics(
        [
            CorpusMetric("a", Classification("accuracy", 3)),
            CorpusMetric("b", Classification("f1", 2, 1)),
            CorpusMetric("c", MaskedLm("perplexity")),
            CorpusMetric("d", Span("f1", "en"), averaged=False),
            CorpusMetric("e", Regression("pearson", 3)),
        ]
    )
    state = corpora.empty()
    average = corpora.aggregates[AVERAGE]
    assert corpora.aggregate(state, average) is None
    corpora.count(state, 0, np.array([0, 1, 1]), np.array([0, 1, 2]), range(3))
    corpora.count(state, 1, [1, 0, 0], [1, 1, 0], range(3))
    corpora.count(state, 0, [2], [2], [3])
    corpora.count(state, 2, [MaskedAnswer(9.0)], [3], [0])
    corpora.count(state, 3, ["x"], [["x"]], [0])
    values = [metric.metric.value(corpora.part(state, index)) for index, metric in enumerate(corpora)]
    assert values == pytest.approx([0.75, 2 / 3, np.exp(3), 1, 0])
    assert [metric.metric.scored(corpora.part(state, i)) for i, metric in enumerate(corpora)] == [4, 3, 1, 1, 0]
    assert [metric.key for metric in corpora] == ["a_accuracy", "b_f1", "c_perplexity", "d_f1", "e_pearson"]
    # perplexity has no place in a mean of shares, d was not asked for, of e nothing was scored
    assert corpora.aggregate(state, average) == pytest.approx(np.mean([0.75, 2 / 3]))
    corpora.count(state, 4, [1, 2, 3], [3, 2, 1], range(3))
    assert corpora.aggregate(state, average) == pytest.approx(np.mean([0.75, 2 / 3, -1]))
    assert corpora.aggregate(state, corpora.aggregates[WORST]) == pytest.approx(-1)
    some = CorpusMetrics(corpora.metrics, ["a", "c"])
    assert some.aggregate(state, some.aggregates[AVERAGE]) == 0.75


def test_calibration_errors_lie_beside_the_metrics_of_their_corpora() -> None:
    error = CalibrationError()
    corpora = CorpusMetrics(
        [
            CorpusMetric("a", Classification("accuracy", 3), calibration=error),
            CorpusMetric("b", Regression("pearson", 3)),
            CorpusMetric("c", Classification("accuracy", 2), calibration=error),
        ]
    )
    state, sure, right = corpora.empty(), np.array([0.9, 0.3, 1.0]), np.array([True, False, True])
    corpora.count(state, 0, [0, 1], [0, 2], range(2))
    corpora.count(state, 1, [1, 2, 3], [1, 2, 3], range(3))
    for index in range(3):
        corpora.count_confidences(state, index, sure[index:], right[index:])
    expected = [np.zeros(error.size), np.zeros(0), np.zeros(error.size)]
    error.count(expected[0], sure, right)
    error.count(expected[2], sure[2:], right[2:])
    for index, part in enumerate(expected):
        np.testing.assert_array_equal(corpora.calibration_part(state, index), part)
    values = [metric.metric.value(corpora.part(state, index)) for index, metric in enumerate(corpora)]
    assert values == pytest.approx([0.5, 1, 0])
