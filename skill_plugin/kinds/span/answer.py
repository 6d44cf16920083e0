"""A piece of the context."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.kinds.prediction import Prediction, put_on_one_line


@dataclass(frozen=True)
class Candidate:
    """One of the best answers.

    Attributes:
        text: a piece of the context, unchanged; empty for no answer.
        start, end: characters ``[start, end)`` of the context.
        score: sum of the logits of its first and last token.
        probability: among the candidates.
    """

    text: str
    start: int
    end: int
    score: float
    probability: float


@dataclass(frozen=True)
class SpanPrediction(Prediction):
    """Span.

    Attributes:
        text: the answer, a piece of the context, unchanged; empty for no answer.
        start, end: its characters ``[start, end)``.
        probability: among the best answers; 0 for no answer that is not among them.
        no_answer: score of no answer minus that of the best answer; compared with the corpus's threshold.
        n_best: the best answers, best first.
    """

    text: str
    start: int
    end: int
    probability: float
    no_answer: float
    n_best: list[Candidate]

    def to_line(self) -> str:
        return f"{put_on_one_line(self.text)}\t{self.start}\t{self.end}\t{self.probability:.4f}"
