"""Candidates in their order."""

from __future__ import annotations

from dataclasses import dataclass, field

from skill_plugin.kinds.prediction import Prediction


@dataclass(frozen=True)
class RankingPrediction(Prediction):
    """Ranking.

    Attributes:
        best: number of the best candidate, from 0.
        order: numbers of the candidates, best first.
        scores: of the candidates, in the order of the input, by which they are ordered: the probability of being right,
            by itself (pointwise; or its logit) or among all (listwise); the expected grade, or the likeliest (graded).
            None of a candidate of which a text-to-text model wrote what is no answer; such are the last.
        relevant: which candidates are said to be right, as the metric f1 counts them.
    """

    best: int
    order: list[int]
    scores: list[float | None]
    relevant: list[bool] = field(default_factory=list)

    def to_line(self) -> str:
        return f"{self.best}\t{' '.join('-' if score is None else f'{score:.4f}' for score in self.scores)}"
