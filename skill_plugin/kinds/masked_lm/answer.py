"""Pieces, or texts, for masks."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.kinds.prediction import Prediction, put_on_one_line, show_shares


@dataclass(frozen=True)
class FillPrediction(Prediction):
    """Masked language model: for every ``<mask>`` of the input the most probable pieces with their probabilities."""

    fills: list[dict[str, float]]

    def to_line(self) -> str:
        return "\t".join(show_shares(fill) for fill in self.fills)


@dataclass(frozen=True)
class SpanPrediction(Prediction):
    """Span corruption: for every ``<mask>`` of the input the text that stands for it."""

    fills: list[str]

    def to_line(self) -> str:
        return "\t".join(map(put_on_one_line, self.fills))
