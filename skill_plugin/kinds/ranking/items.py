"""The candidates of a query, each read together with it; they all travel in one pack."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import inf, isnan, nan

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.kinds.items import Items, Target, Told
from skill_plugin.kinds.ranking.answer import RankingPrediction
from skill_plugin.kinds.ranking.keys import RankingKeys
from skill_plugin.kinds.ranking.metric import OF_FIRST, OF_ORDER, Ranked
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.sequences.query_and_candidates import QueryAndCandidates

_TIE = 1e-5  # of scores, which are shares but for logits


class RankingItems(Items):
    """A sequence a candidate.

    Outputs are logits [candidates, 2] of wrong and right (``loss: pointwise``), [candidates, G] of the grades
    (``loss: graded``) or scores [candidates, 1] (``loss: listwise``).
    """

    rule: QueryAndCandidates

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        members = row.members if only is None else row.members[only : only + 1]
        found = []
        for member in members:
            kept = self.rule.kept([len(text) for text in row.texts], len(member))
            texts = [text[:length] for text, length in zip((*row.texts, member), kept, strict=True)]
            if self.rule.texts == 2:
                texts = [np.concatenate(texts[:-1]), texts[-1]]
            assembled = self.template.assemble(texts)
            found.append(EncodedSequence(assembled.tokens, assembled.token_types))
        return found

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        graded = RankingKeys.of(self.corpus).loss == "graded"
        relevance = self.right_answers(row, len(sequences)) if graded else row.arrays["relevance"]
        return {
            "relevance": relevance.astype(np.int64),
            "sizes": np.array([len(sequences)], np.int64),
        }

    def right_answers(self, row: EncodedRow, count: int) -> NDArray[np.int64]:
        """A grade that the data of the run do not have is taken for their highest."""
        own = RankingKeys.of(self.corpus)
        grades = (own.grades or self.reading.facts["grades"]) if own.loss == "graded" else 2
        return np.minimum(row.arrays["relevance"].astype(np.int64), grades - 1)

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> RankingPrediction:
        scores = self._scores(outputs)
        order = _best_first(scores)
        told = [None if isnan(score) else score for score in scores]
        return RankingPrediction(order[0], order, told, self._relevant(outputs, scores))

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[Ranked, list[int]]:
        scores = self._scores(outputs)
        return Ranked(scores, self._relevant(outputs, scores)), row.arrays["relevance"].tolist()

    def tell(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Told:
        """The candidate that is ranked first, and those that are right."""
        ranked, relevance = self.score(outputs, row, sequences, example)
        names = [f"candidate {i + 1}" for i in range(len(relevance))] if example is None else example.candidates
        first = _best_first(ranked.scores)[0]
        best = [name for name, grade in zip(names, relevance, strict=True) if grade and grade == max(relevance)]
        return Told(names[first], " | ".join(best) or "(none)", names[first] not in best)

    def agreement(self, ours: Tensor, theirs: Tensor) -> tuple[int, int]:
        """What the metric reads of a query's outputs [K, C] that is the same in another model's, and how much there is.

        That is which candidate comes first, which of each two, or what is said of each to be relevant. Candidates whose
        scores of ours differ by a rounding alone may change places.
        """
        scores, others = self._scores(ours), self._scores(theirs)
        if self.corpus.metric in OF_FIRST:
            return int(max(scores) - scores[others.index(max(others))] <= _TIE), 1
        if self.corpus.metric in OF_ORDER:
            pairs = [(i, j) for i, j in permutations(range(len(scores)), 2) if scores[i] - scores[j] > _TIE]
            return sum(others[i] > others[j] for i, j in pairs), len(pairs)
        relevant = zip(self._relevant(ours, scores), self._relevant(theirs, others), strict=True)
        return sum(one == other for one, other in relevant), len(scores)

    def _relevant(self, outputs: Tensor, scores: Sequence[float]) -> list[bool]:
        if RankingKeys.of(self.corpus).loss == "listwise":  # shares of one whole say nothing of each candidate alone
            return [score == max(scores) for score in scores]
        found: list[bool] = (self.family.probabilities(outputs)[:, 0] < 0.5).tolist()
        return found

    def _scores(self, outputs: Tensor) -> list[float]:
        """What the candidates are ordered by; not a number where an output is none."""
        probabilities = self.family.probabilities(outputs)
        match RankingKeys.of(self.corpus).ranked_by:
            case "probability":
                scores = probabilities[:, 1]
            case "logit":  # of class 1, as MT-TaG chooses for COPA
                scores = outputs[:, 1]
            case "expected":
                scores = probabilities @ torch.arange(outputs.shape[1], dtype=outputs.dtype)
            case "likeliest":
                scores = outputs.argmax(-1).float().masked_fill(outputs.isnan().any(-1), nan)
            case _:
                scores = probabilities[:, 0]
        found: list[float] = scores.tolist()
        return found


def _best_first(scores: Sequence[float] | NDArray[np.float64]) -> list[int]:
    """Numbers of candidates: the first of equals first, those without a score last."""
    return sorted(range(len(scores)), key=lambda i: inf if isnan(scores[i]) else -scores[i])
