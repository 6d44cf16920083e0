"""What reading a split gives: examples, and an account of every row that is not among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class Example(NamedTuple):
    """One row of a corpus.

    Attributes:
        texts: in the order text_a, text_b, text_c, as far as the corpus has them; unchanged from the file.
        label: after ``label_map``; None in a test split without labels.
        file: where the row stands.
        line: its first line, from 1.
    """

    texts: tuple[str, ...]
    label: str | None
    file: str
    line: int


@dataclass(frozen=True, order=True)
class Fault:
    """Something about the raw data, for a person: prints as ``file:line: message``."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}"


@dataclass
class Split:
    """One split of one corpus.

    Attributes:
        examples: the rows that are kept, in the file's order.
        skipped: reason -> rows that are not kept; ``len(examples) + skipped.total()`` is the number of rows of the
            file, as long as no fault says that the rest of a file could not be read.
        faults: what lost or would corrupt rows. Of one reason, the first are listed and the others counted.
        notices: what a person may want to know, though no row is lost.
    """

    examples: list[Example] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    notices: list[Fault] = field(default_factory=list)
