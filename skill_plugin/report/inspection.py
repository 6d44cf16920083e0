"""What a look at every row of a split found: the rows that went most wrong, and whether shares of certainty hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = 10


@dataclass(frozen=True)
class WrongRow:
    """A row, and what was made of it.

    Attributes:
        loss: what training would call its loss, in nats: the mean over its units; of a regression the squared error.
        answer, right: the answer and the right answer in a few words.
        texts: its texts; none where the data folder has none.
        wrong: whether the answer is wrong; of a number, which is more or less so, always.
        place: the file and line that it was read from; empty where that is not known.
    """

    loss: float
    answer: str
    right: str
    texts: Sequence[str] = ()
    wrong: bool = True
    place: str = ""


@dataclass(frozen=True, eq=False)
class Reliability:
    """How often answers are right that are given with some certainty.

    Attributes:
        answers: how many have a probability in each of ``BINS`` equal parts of [0, 1] [BINS].
        certainty: the sum of their probabilities [BINS].
        right: how many of them are right [BINS].
    """

    answers: NDArray[np.float64]
    certainty: NDArray[np.float64]
    right: NDArray[np.float64]

    @classmethod
    def of(cls, probabilities: NDArray[np.float64], right: NDArray[np.bool_]) -> Reliability:
        """From the probability of each answer [n] and whether it is right [n]."""
        place = np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)
        counted = (np.bincount(place, weights, BINS) for weights in (None, probabilities, right))
        return cls(*(np.asarray(one, np.float64) for one in counted))

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance of certainty and share of right answers, over answers."""
        return float(np.abs(self.certainty - self.right).sum() / max(self.answers.sum(), 1))


@dataclass(frozen=True)
class Inspection:
    """Of one corpus.

    Attributes:
        rows: how many were read.
        worst: those with the greatest loss, the greatest first.
        reliability: of its answers; None for kinds that do not answer with one of several classes.
    """

    rows: int
    worst: Sequence[WrongRow]
    reliability: Reliability | None = None


Inspections = Mapping[str, Inspection]  # by corpus
