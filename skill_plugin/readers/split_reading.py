"""A split while it is being read: what may be in it, and what is to be told of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from skill_plugin.spec.corpus import Corpus


@dataclass
class Note:
    """Something that is told once: where it happened first, and how often."""

    line: int
    count: int = 0
    detail: str = ""


@dataclass
class SplitReading:
    """What a kind knows of the split that is being read.

    Attributes:
        labels: that may occur, or None for any.
        file: name of the first file, for the examples.
        notes: message -> how often and where first; told as notices at the end.
    """

    corpus: Corpus
    split: str
    labels: Sequence[str] | None
    file: str
    notes: dict[str, Note] = field(default_factory=dict)

    @property
    def may_lack_answers(self) -> bool:
        """Whether all rows of the split may lack an answer: in test always, in valid only if placeholders are named."""
        return self.split == "test" or (self.split == "valid" and bool(self.corpus.placeholders))

    def note(self, message: str, line: int, detail: str = "", count: int = 1) -> None:
        """Counts something to tell; the first line and detail of a message are kept."""
        self.notes.setdefault(message, Note(line, detail=detail)).count += count
