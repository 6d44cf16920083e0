"""Any number of labels."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.kinds.prediction import Prediction, put_on_one_line, show_shares


@dataclass(frozen=True)
class LabelsPrediction(Prediction):
    """Multilabel.

    Attributes:
        labels: those with a probability above their threshold: one half, or what was chosen on held-out data.
        probabilities: of every label, each by itself.
    """

    labels: list[str]
    probabilities: dict[str, float]

    def to_line(self) -> str:
        return f"{','.join(map(put_on_one_line, self.labels))}\t{show_shares(self.probabilities)}"
