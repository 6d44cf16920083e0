"""An answer that a model wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skill_plugin.kinds.prediction import Prediction, put_on_one_line


@dataclass(frozen=True)
class WrittenPrediction(Prediction):
    """What was written, and what it means.

    Attributes:
        answer: the answer as the kind gives it, of the texts that are answers; None if none is.
        texts: what was written for each sequence.
        unreadable: how many of them are no answer.
    """

    answer: Prediction | None
    texts: list[str]
    unreadable: int

    def to_json(self) -> dict[str, Any]:
        """The answer's values, beside the texts."""
        answer = {} if self.answer is None else self.answer.to_json()
        return {**answer, "texts": self.texts, "unreadable": self.unreadable}

    def to_line(self) -> str:
        """The answer's line; of an unreadable one a tab and what was written."""
        return "\t" + put_on_one_line(" ".join(self.texts)) if self.answer is None else self.answer.to_line()
