"""Answers for one input, by kind; each says itself as JSON and as one line of text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Prediction(ABC):
    """One answer."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @abstractmethod
    def to_line(self) -> str:
        """Without line ends or further tabs than those between the parts."""


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
        return f"{_inline(self.label)}\t{_shares(self.probabilities)}"


@dataclass(frozen=True)
class LabelsPrediction(Prediction):
    """Multilabel.

    Attributes:
        labels: those with a probability above one half.
        probabilities: of every label, each by itself.
    """

    labels: list[str]
    probabilities: dict[str, float]

    def to_line(self) -> str:
        return f"{','.join(map(_inline, self.labels))}\t{_shares(self.probabilities)}"


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


@dataclass(frozen=True)
class RankingPrediction(Prediction):
    """Ranking.

    Attributes:
        best: number of the best candidate, from 0.
        order: numbers of the candidates, best first.
        scores: of the candidates, in the order of the input, by which they are ordered: the probability of being right,
            by itself (pointwise; or its logit) or among all (listwise); the expected grade, or the likeliest (graded).
        relevant: which candidates are said to be right, as the metric f1 counts them.
    """

    best: int
    order: list[int]
    scores: list[float]
    relevant: list[bool] = field(default_factory=list)

    def to_line(self) -> str:
        return f"{self.best}\t{' '.join(f'{score:.4f}' for score in self.scores)}"


@dataclass(frozen=True)
class Entity:
    """A labelled run of words.

    Attributes:
        type: as in the tags, without prefix.
        first, last: numbers of its words, both included.
        text: of the input, unchanged.
        start, end: characters ``[start, end)`` of the input's text.
    """

    type: str
    first: int
    last: int
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class TagsPrediction(Prediction):
    """Labelling: a tag for every word.

    Attributes:
        words: of the input.
        tags: as many.
        entities: what the tags say; none for tags without a scheme.
    """

    words: list[str]
    tags: list[str]
    entities: list[Entity]

    def to_line(self) -> str:
        return " ".join(map(_inline, self.tags))


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
        return f"{_inline(self.text)}\t{self.start}\t{self.end}\t{self.probability:.4f}"


@dataclass(frozen=True)
class FillPrediction(Prediction):
    """Masked language model: for every ``<mask>`` of the input the most probable pieces with their probabilities."""

    fills: list[dict[str, float]]

    def to_line(self) -> str:
        return "\t".join(_shares(fill) for fill in self.fills)


def _inline(text: str) -> str:
    """With one space for each run of spaces, tabs and line ends."""
    return " ".join(text.split())


def _shares(shares: dict[str, float]) -> str:
    return " ".join(f"{_inline(label)}={share:.4f}" for label, share in shares.items())
