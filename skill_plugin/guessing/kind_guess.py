"""What a kind says of a sample that looks like its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class KindGuess:
    """That a sample is of a kind.

    Attributes:
        columns: meaning -> column or columns, as in the corpora file.
        sure: from 0 to 1; of several kinds the surest one is taken, and below ``OPEN`` a person has to look.
        why: reasons, for the comment beside ``kind``.
        notes: meaning of a column -> the reason for it.
        options: further keys of the corpus, each with its value and the reason.
        each: the list of which every element is a row.
        skills: names of task skills that such a corpus may use.
        doubts: what a person should look at.
    """

    columns: dict[str, Any]
    sure: float
    why: str
    notes: dict[str, str] = field(default_factory=dict)
    options: dict[str, tuple[Any, str]] = field(default_factory=dict)
    each: str | None = None
    skills: tuple[str, ...] = ("sentence",)
    doubts: list[str] = field(default_factory=list)


OPEN = 0.4  # below it nothing is guessed
