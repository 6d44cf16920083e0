"""Metrics of ordering, or choosing among, the candidates of a query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skill_plugin.kinds.ranking import RankingKind
from skill_plugin.metrics.metric import Metric, MetricState, f1, ratio

OF_FIRST = ("accuracy", "top1")  # which read the first candidate alone
OF_ORDER = (*OF_FIRST, "mrr", "map", "ndcg")
_CELLS = (
    *("queries", "with_positive"),
    *OF_ORDER,  # sums over the queries with a positive
    *("right", "predicted", "gold"),  # candidates
    *("query_f1", "query_precision", "query_recall"),  # sums over all queries
)


class Ranked(NamedTuple):
    """What a model says of the candidates of one query, [K] each.

    Whoever knows what a score means decides what is positive: with a pointwise loss, where scores are probabilities,
    those above 0.5; with grades, those whose grade is rather above 0 than 0; with a listwise loss, whose scores say
    nothing of a candidate alone, the best one.

    Attributes:
        scores: higher is better; only their order counts. Not a number where nothing was said of a candidate.
        positive: which candidates are said to be relevant.
    """

    scores: Sequence[float] | NDArray[np.float64]
    positive: Sequence[bool] | NDArray[np.bool_]


class Ranking(Metric[Ranked, Sequence[int]]):
    """Metrics by query. References are the relevances of a query's candidates [K], whole numbers from 0 (irrelevant).

    Metrics of the order are means over the queries with a relevant candidate. For the others they are undefined, and
    left out or counted 0, whichever is said; ``details`` have their number as ``without_positive``, and the means of
    the other way as ``<metric>_of_all`` or ``<metric>_of_positive``. Of equal scores the first candidate is the best,
    as ``predict`` says; mrr, map and ndcg are means over all orders of equal scores (McSherry and Najork 2008), since
    else they would be those of the given order. A candidate of which nothing was said is not found: it has no rank.

    - accuracy: the best candidate has the highest relevance of its query (MT-TaG A.3, COPA).
    - top1: the best candidate is relevant.
    - mrr: 1 / rank of the first relevant candidate.
    - map: average precision, over the ranks of the relevant candidates.
    - ndcg: gain is the relevance itself, discounted by log2(rank + 1) (Thesis 3.3); scikit-learn's ``ndcg_score``, but
      of queries of one candidate too.

    Metrics of what is said to be positive are over all queries:

    - f1, also called f1a: of all candidates of all queries together (MultiRC's F1a, MT-TaG A.3).
    - macro_f1: the mean over queries of each one's F1, which is 1 where nothing is relevant and nothing was predicted.
    - f1m: MultiRC's F1m as its official script has it: the harmonic mean of mean precision and mean recall over
      queries, where precision without predictions and recall without relevant candidates are 1.

    The state is [13]: the two numbers of queries, five sums, three numbers of candidates, three sums.

    Args:
        name: one of the metrics above.
        counts_all: queries without a relevant candidate count 0 in the metrics of the order.

    Raises:
        ValueError: an unknown metric.
    """

    names = RankingKind.metrics

    def __init__(self, name: str, counts_all: bool = False) -> None:
        super().__init__(name)
        self.counts_all = counts_all

    @property
    def size(self) -> int:
        return len(_CELLS)

    def count(
        self,
        state: MetricState,
        answers: Sequence[Ranked] | NDArray[Any],
        references: Sequence[Sequence[int]] | NDArray[Any],
        numbers: Sequence[int] | NDArray[np.int64],
    ) -> None:
        for answer, reference in zip(answers, references, strict=True):
            relevance = np.asarray(reference, dtype=np.float64)
            state[0] += 1
            if relevance.any():
                state[1] += 1
                state[2:7] += _of_query(np.asarray(answer.scores, dtype=np.float64), relevance)
            state[7:] += _of_decisions(np.asarray(answer.positive, dtype=np.bool_), relevance > 0)

    def scored(self, state: MetricState) -> int:
        """All queries, those without a relevant candidate too."""
        return round(float(state[0]))

    def further(self, state: MetricState) -> dict[str, float]:
        other = "of_positive" if self.counts_all else "of_all"
        means = {f"{name}_{other}": self._of_order(name, state, not self.counts_all) for name in OF_ORDER}
        return {"without_positive": float(state[0] - state[1]), **means}

    def constant_answers(
        self, references: Sequence[Sequence[int]], texts: Sequence[Sequence[str]]
    ) -> Iterator[Sequence[Ranked]]:
        """No order, the given one, and that with one place first: the one most often relevant of those that all have.

        Of each: all said to be right, or none.
        """
        shared = min(map(len, references))
        relevant = np.sum([[grade > 0 for grade in reference[:shared]] for reference in references], axis=0)
        given = [[-float(i) for i in range(len(one))] for one in references]
        orders = [[[0.0] * len(one) for one in references], given]
        if place := int(np.argmax(relevant)):
            orders.append([[1.0 if i == place else score for i, score in enumerate(one)] for one in given])
        for scores in orders:
            for positive in (True, False):
                yield [Ranked(one, [positive] * len(one)) for one in scores]

    def value_of(self, name: str, state: MetricState) -> float:
        if name in OF_ORDER:
            return self._of_order(name, state, self.counts_all)
        cells = dict(zip(_CELLS, map(float, state), strict=True))
        if name in ("f1", "f1a"):
            return f1(cells["right"], cells["predicted"], cells["gold"])
        if name == "macro_f1":
            return ratio(cells["query_f1"], cells["queries"])
        precision, recall = (ratio(cells[f"query_{part}"], cells["queries"]) for part in ("precision", "recall"))
        return ratio(2 * precision * recall, precision + recall)

    @staticmethod
    def _of_order(name: str, state: MetricState, all_queries: bool) -> float:
        queries = state[_CELLS.index("queries" if all_queries else "with_positive")]
        return ratio(float(state[_CELLS.index(name)]), float(queries))


def _of_query(scores: MetricState, relevance: MetricState) -> tuple[float, ...]:
    """accuracy, top1, reciprocal rank, average precision and nDCG of one query with a relevant candidate."""
    found = ~np.isnan(scores)
    if not found.any():
        return 0.0, 0.0, 0.0, 0.0, 0.0
    best = relevance[np.nanargmax(scores)]
    _, group, sizes = np.unique(-scores[found], return_inverse=True, return_counts=True)
    relevant = np.bincount(group, weights=relevance[found] > 0)
    return (
        float(best == relevance.max()),
        float(best > 0),
        _reciprocal_rank(sizes, relevant),
        _precisions(sizes, relevant) / np.count_nonzero(relevance),
        _dcg(np.bincount(group, weights=relevance[found]), sizes) / _dcg(np.sort(relevance)[::-1]),
    )


def _reciprocal_rank(sizes: NDArray[np.int64], relevant: NDArray[Any]) -> float:
    """That of the first relevant candidate, in the mean over the orders of equal ones.

    Args:
        sizes: how many candidates have the best score, the next one, and so on [G].
        relevant: how many of them are relevant [G].
    """
    if not relevant.any():
        return 0.0
    group = int(np.flatnonzero(relevant)[0])
    before, size, count = int(sizes[:group].sum()), int(sizes[group]), int(relevant[group])
    # the first relevant one stands at this place of the group, and the others anywhere behind it
    orders = [(comb(size - place, count - 1), before + place) for place in range(1, size - count + 2)]
    return sum(ways / comb(size, count) / rank for ways, rank in orders)


def _precisions(sizes: NDArray[np.int64], relevant: NDArray[Any]) -> float:
    """The sum of the precisions at the ranks of relevant candidates, in the mean over the orders of equal ones."""
    ends = np.cumsum(sizes)
    ranks = np.arange(1, ends[-1] + 1)
    size, count, start, before = (
        np.repeat(of_group, sizes) for of_group in (sizes, relevant, ends - sizes, np.cumsum(relevant) - relevant)
    )
    # of the group's other relevant candidates, those that stand before this one
    others = (ranks - start - 1) * (count - 1) / np.maximum(size - 1, 1)
    return float(np.sum(count / size * (before + 1 + others) / ranks))


def _dcg(gains: NDArray[Any], sizes: NDArray[np.int64] | int = 1) -> float:
    """Discounted gains, where equal candidates share theirs [G]: with the ideal's scikit-learn's ``ndcg_score``, which
    takes no single candidate, and a millisecond a query."""
    shares = np.repeat(gains / sizes, sizes)
    return float(shares @ (1 / np.log2(np.arange(len(shares)) + 2)))


def _of_decisions(positive: NDArray[np.bool_], relevant: NDArray[np.bool_]) -> tuple[float, ...]:
    """Right, predicted and gold candidates of one query, and its F1, precision and recall."""
    right, predicted, gold = (float(which.sum()) for which in (positive & relevant, positive, relevant))
    precision = right / predicted if predicted else 1.0
    recall = right / gold if gold else 1.0
    return right, predicted, gold, ratio(2 * precision * recall, precision + recall), precision, recall
