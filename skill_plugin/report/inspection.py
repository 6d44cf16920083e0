"""What a look at every row of a split found: the rows that went most wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


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


@dataclass(frozen=True)
class Inspection:
    """Of one corpus.

    Attributes:
        rows: how many were read.
        worst: those with the greatest loss, the greatest first.
    """

    rows: int
    worst: Sequence[WrongRow]


Inspections = Mapping[str, Inspection]  # by corpus
