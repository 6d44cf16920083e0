"""Metrics of queries are scikit-learn's where it has them, and else the definition in a loop."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from skill_plugin.kinds.ranking.metric import Ranked, Ranking
from skill_plugin.metrics.metric import MetricState

CANDIDATE = st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0]), st.integers(0, 3))  # scores with many ties
QUERIES = st.lists(st.lists(CANDIDATE, min_size=1, max_size=5), min_size=1, max_size=5)
Query = list[tuple[float, int]]


def counted(name: str, queries: list[Query]) -> tuple[Ranking, MetricState]:
    metric = Ranking(name)
    state = np.zeros(metric.size)
    scores = [[score for score, _ in query] for query in queries]
    answers = [Ranked(row, [score > 0.5 for score in row]) for row in scores]
    metric.count(state, answers, [[relevance for _, relevance in query] for query in queries], range(len(queries)))
    return metric, state


def value(name: str, queries: list[Query]) -> float:
    metric, state = counted(name, queries)
    return metric.value(state)


def precisions(ranked: list[int]) -> list[float]:
    """Those at the ranks of relevant candidates."""
    relevant = [rank for rank, relevance in enumerate(ranked, 1) if relevance]
    return [number / rank for number, rank in enumerate(relevant, 1)]


def in_every_order(query: Query) -> list[list[int]]:
    """Relevances, best score first, in all orders of equal scores, each as often."""
    return [[relevance for _, relevance in sorted(order, key=lambda c: -c[0])] for order in permutations(query)]


@given(QUERIES)
def test_order(queries: list[Query]) -> None:
    defined = [query for query in queries if any(relevance for _, relevance in query)]
    means: dict[str, list[float]] = {name: [] for name in ("accuracy", "top1", "mrr", "map", "ndcg")}
    for query in defined:
        ranked = [relevance for _, relevance in sorted(query, key=lambda c: -c[0])]  # sorted() keeps the order of ties
        orders = in_every_order(query)
        means["accuracy"].append(ranked[0] == max(ranked))
        means["top1"].append(ranked[0] > 0)
        means["mrr"].append(np.mean([precisions(order)[0] for order in orders]))
        means["map"].append(np.mean([np.mean(precisions(order)) for order in orders]))
        scores, relevance = [s for s, _ in query], [r for _, r in query]
        means["ndcg"].append(reference.ndcg_score([relevance], [scores]) if len(query) > 1 else 1.0)
    for name, values in means.items():
        assert value(name, queries) == pytest.approx(float(np.mean(values)) if values else 0.0, abs=1e-12), name
    metric, state = counted("mrr", queries)
    assert metric.scored(state) == len(queries)
    details = metric.details(state)
    assert details["without_positive"] == len(queries) - len(defined)
    counted_0 = Ranking("mrr", counts_all=True)
    for name, values in means.items():  # either way of counting, both are reported
        of_all, of_positive = sum(values) / len(queries), sum(values) / max(len(values), 1)
        assert (details[name], details[f"{name}_of_all"]) == pytest.approx((of_positive, of_all))
        other = counted_0.details(state)
        assert (other[name], other[f"{name}_of_positive"]) == pytest.approx((of_all, of_positive))
    assert counted_0.value(state) == pytest.approx(sum(means["mrr"]) / len(queries))


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.5, float("nan")]), st.integers(0, 2)), min_size=1, max_size=5))
def test_a_candidate_of_which_nothing_was_said_is_not_found(query: Query) -> None:
    """As if it were not there, but for what there is to be found."""
    found, relevances = [(s, r) for s, r in query if s == s], [relevance for _, relevance in query]
    if not any(relevances):
        return
    orders = in_every_order(found) if found else [[]]
    first = max(found, key=lambda c: c[0])[1] if found else -1
    discounts = 1 / np.log2(np.arange(len(query)) + 2)
    expected = {
        "accuracy": first == max(relevances),
        "top1": first > 0,
        "mrr": np.mean([max(precisions(order), default=0) and precisions(order)[0] for order in orders]),
        "map": np.mean([sum(precisions(order)) for order in orders]) / np.count_nonzero(relevances),
        "ndcg": np.mean([np.dot(order, discounts[: len(order)]) for order in orders])
        / np.dot(sorted(relevances, reverse=True), discounts),
    }
    for name, one in expected.items():
        assert value(name, [query]) == pytest.approx(float(one)), name


@given(st.lists(st.integers(0, 1), min_size=2, max_size=9).filter(any), st.randoms())
def test_average_precision_without_ties_is_scikit_learns(relevance: list[int], random: object) -> None:
    scores = list(range(len(relevance)))
    random.shuffle(scores)  # type: ignore[attr-defined]
    expected = reference.average_precision_score(relevance, scores)
    assert value("map", [list(zip(map(float, scores), relevance, strict=True))]) == pytest.approx(expected)


@settings(deadline=None)
@given(QUERIES)
def test_decisions(queries: list[Query]) -> None:
    true, given_ = ([[f(c) for c in query] for query in queries] for f in (lambda c: c[1] > 0, lambda c: c[0] > 0.5))
    expected = reference.f1_score(np.concatenate(true), np.concatenate(given_), zero_division=0)
    assert value("f1", queries) == value("f1a", queries) == pytest.approx(expected)
    by_query = [reference.f1_score(t, g, zero_division=1) for t, g in zip(true, given_, strict=True)]
    assert value("macro_f1", queries) == pytest.approx(np.mean(by_query))
    # MultiRC's script: means over questions of precision and recall, 1 where undefined
    pairs = list(zip(true, given_, strict=True))
    agreed = [sum(a and b for a, b in zip(t, g, strict=True)) for t, g in pairs]
    precision = np.mean([a / sum(g) if sum(g) else 1 for a, (_, g) in zip(agreed, pairs, strict=True)])
    recall = np.mean([a / sum(t) if sum(t) else 1 for a, (t, _) in zip(agreed, pairs, strict=True)])
    expected = 2 * precision * recall / (precision + recall) if precision + recall else 0
    assert value("f1m", queries) == pytest.approx(expected)


def test_examples() -> None:
    choice = [(0.2, 0), (0.4, 1)]
    assert value("accuracy", [choice, [(0.9, 0), (0.4, 1)]]) == 0.5
    graded = [(0.9, 1), (0.8, 3), (0.1, 0)]
    assert value("top1", [graded]) == 1 and value("accuracy", [graded]) == 0
    assert value("accuracy", [[(0.5, 0), (0.5, 1)]]) == 0  # of equal scores the first wins
    assert value("ndcg", [[(0.7, 2)], [(0.1, 0)]]) == 1  # one candidate; and a query without any is left out
    assert value("accuracy", [[(float("nan"), 0), (-5.0, 1)]]) == 1
    assert value("accuracy", [[(float("nan"), 1), (float("nan"), 1)]]) == 0
    metric, state = counted("f1a", [choice])
    assert metric.details(state)["f1"] == metric.details(state)["f1a"] == metric.value(state)
    assert all(Ranking(name).value(np.zeros(13)) == 0 for name in Ranking.names)
