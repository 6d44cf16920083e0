"""A score."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.kinds.prediction import Prediction


@dataclass(frozen=True)
class ScorePrediction(Prediction):
    """Regression.

    Attributes:
        score: within the corpus's range.
        unclipped: as the model gives it; what metrics compare.
    """

    score: float
    unclipped: float

    def to_line(self) -> str:
        return f"{self.score:.4f}"
