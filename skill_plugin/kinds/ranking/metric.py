"""Metrics of ordering, or choosing among, the candidates of a query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        scores: higher is better; only their order counts.
        positive: which candidates are said to be relevant.
    """

    scores: Sequence[float] | NDArray[np.float64]
    positive: Sequence[bool] | NDArray[np.bool_]


class Ranking(Metric[Ranked, Sequence[int]]):
    """Metrics by query. References are the relevances of a query's candidates [K], whole numbers from 0 (irrelevant).

    Metrics of the order are means over the queries with a relevant candidate. For the others they are undefined, and
    left out or counted 0, whichever is said; ``details`` have their number as ``without_positive``, and the means of
    the other way as ``<metric>_of_all`` or ``<metric>_of_positive``. Of equal scores the first candidate wins, but in
    ndcg, which averages over their orders. A score that is not a number is below all others.

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
        """The given order, and that with one place first: the one most often relevant of those that all queries have.

        Of either: all said to be right, or none.
        """
        shared = min(map(len, references))
        relevant = np.sum([[grade > 0 for grade in reference[:shared]] for reference in references], axis=0)
        for place in dict.fromkeys((0, int(np.argmax(relevant)))):
            for positive in (True, False):
                yield [
                    Ranked([float(i == place) for i in range(len(one))], [positive] * len(one)) for one in references
                ]

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
    scores = np.where(np.isnan(scores), -np.inf, scores)
    order = np.argsort(-scores, kind="stable")
    best = relevance[order[0]]
    ranks = np.flatnonzero(relevance[order]) + 1
    precisions = np.arange(1, len(ranks) + 1) / ranks
    return (
        float(best == relevance.max()),
        float(best > 0),
        float(1 / ranks[0]),
        float(precisions.mean()),
        _ndcg(scores, relevance),
    )


def _ndcg(scores: MetricState, relevance: MetricState) -> float:
    """scikit-learn's ``ndcg_score``, which takes no single candidate, and a millisecond a query."""
    discounts = 1 / np.log2(np.arange(len(scores)) + 2)
    # candidates of one score share the mean of their relevances
    _, group, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    gains = (np.bincount(group, weights=relevance) / sizes)[np.sort(group)]
    return float(gains @ discounts / (np.sort(relevance)[::-1] @ discounts))


def _of_decisions(positive: NDArray[np.bool_], relevant: NDArray[np.bool_]) -> tuple[float, ...]:
    """Right, predicted and gold candidates of one query, and its F1, precision and recall."""
    right, predicted, gold = (float(which.sum()) for which in (positive & relevant, positive, relevant))
    precision = right / predicted if predicted else 1.0
    recall = right / gold if gold else 1.0
    return right, predicted, gold, ratio(2 * precision * recall, precision + recall), precision, recall
