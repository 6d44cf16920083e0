"""DESIGN, invariant 8: whatever the parts that items came in, their states add up to the state of the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.kinds.make_metric import make_metric
from skill_plugin.kinds.masked_lm.metric import MaskedAnswer
from skill_plugin.kinds.ranking.metric import Ranked
from skill_plugin.metrics.aggregates import AVERAGE, WORST
from skill_plugin.metrics.corpus_metrics import CorpusMetric, CorpusMetrics
from skill_plugin.metrics.metric import Metric

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


KINDS: dict[str, tuple[tuple[str, ...], dict[str, Any], st.SearchStrategy[tuple[Any, Any]]]] = {
    "classification": (
        ("accuracy", "f1", "macro_f1", "mcc"),
        {"labels": ("a", "b", "c"), "positive_label": "b"},
        st.tuples(st.integers(0, 2), st.integers(0, 2)),
    ),
    "word_in_context": (("accuracy",), {"labels": ("F", "T")}, st.tuples(st.integers(0, 1), st.integers(0, 1))),
    "next_sentence": (("accuracy",), {}, st.tuples(st.integers(0, 1), st.integers(0, 1))),
    "multilabel": (("micro_f1", "macro_f1"), {"labels": ("a", "b", "c")}, st.tuples(IDS, IDS)),
    "regression": (("pearson", "spearman"), {"items": MOST}, st.tuples(SCORE, SCORE)),
    "ranking": (("accuracy", "ndcg", "mrr", "map", "top1", "f1", "f1a", "macro_f1", "f1m"), {}, ranked()),
    "labelling": (
        ("f1", "accuracy"),
        {"labels": ("O", "B-x", "I-x", "I-y")},
        st.lists(st.tuples(TAG, TAG), min_size=1, max_size=6).map(lambda words: tuple(zip(*words, strict=True))),
    ),
    "span": (("f1", "exact_match"), {"language": "zh"}, st.tuples(TEXT, st.lists(TEXT, max_size=2))),
    "masked_lm": (
        ("perplexity", "accuracy"),
        {},
        st.tuples(st.builds(MaskedAnswer, st.floats(0, 9), st.integers(0, 3)), st.integers(3, 9)),
    ),
}
CASES = [(kind, name) for kind, (names, _, _) in KINDS.items() for name in names]


def count(metric: Metric[Any, Any], items: list[tuple[Any, Any]], numbers: list[int]) -> np.ndarray:
    state = np.zeros(metric.size)
    metric.count(state, [items[n][0] for n in numbers], [items[n][1] for n in numbers], numbers)
    return state


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_states_of_parts_add_up(kind: str, name: str) -> None:
    _, options, item = KINDS[kind]

    @settings(max_examples=30, deadline=None)
    @given(st.lists(item, max_size=MOST), st.data())
    def check(items: list[tuple[Any, Any]], data: st.DataObject) -> None:
        metric = make_metric(kind, name, **options)
        ranks = data.draw(st.lists(st.integers(0, 2), min_size=len(items), max_size=len(items)))
        whole = count(metric, items, list(range(len(items))))
        parts = [count(metric, items, [n for n, r in enumerate(ranks) if r == rank]) for rank in range(3)]
        np.testing.assert_allclose(np.sum(parts, axis=0), whole, rtol=1e-12, atol=1e-12)
        assert metric.value(np.sum(parts, axis=0)) == pytest.approx(metric.value(whole), abs=1e-9)
        assert metric.scored(whole) == sum(map(metric.scored, parts)) == len(items)
        assert metric.details(whole)[name] == metric.value(whole)
        assert all(isinstance(value, float) for value in [metric.value(whole), *metric.details(whole).values()])
        if metric.in_unit_interval and name not in ("pearson", "spearman", "mcc"):
            assert 0 <= metric.value(whole) <= 1

    check()


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match="unknown kind 'clasification'"):
        make_metric("clasification", "accuracy")
    for kind, (_, options, _) in KINDS.items():
        with pytest.raises(ValueError, match="unknown metric 'recal'"):
            make_metric(kind, "recal", **options)


def test_corpora_share_one_vector() -> None:
    corpora = CorpusMetrics(
        [
            CorpusMetric("a", make_metric("classification", "accuracy", labels=("x", "y", "z"))),
            CorpusMetric("b", make_metric("classification", "f1", labels=("no", "yes"), positive_label="yes")),
            CorpusMetric("c", make_metric("masked_lm", "perplexity")),
            CorpusMetric("d", make_metric("span", "f1", language="en"), averaged=False),
            CorpusMetric("e", make_metric("regression", "pearson", items=3)),
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
