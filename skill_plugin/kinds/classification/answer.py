"""One label."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.kinds.prediction import Prediction, put_on_one_line, show_shares


@dataclass(frozen=True)
class ClassPrediction(Prediction):
    """Classification, word in context, next sentence.

    Attributes:
        label: the most probable label.
        probabilities: of every label, in the order of their ids.
    """

    label: str
    probabilities: dict[str, float]

    def to_line(self) -> str:
        return f"{put_on_one_line(self.label)}\t{show_shares(self.probabilities)}"
