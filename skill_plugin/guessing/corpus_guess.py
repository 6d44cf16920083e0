"""What was guessed of one corpus."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TODO = "TODO"


@dataclass
class CorpusGuess:
    """A section of the corpora file.

    Attributes:
        name: of the corpus.
        keys: each with its value and the reason; in the order in which they are written.
        doubts: what a person should look at, though a guess was made.
        open: what could not be told; the section is then written as a comment.
    """

    name: str
    keys: dict[str, tuple[Any, str]] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class LeftOut:
    """A file that no corpus uses, and why."""

    path: Path
    why: str


@dataclass
class Guessed:
    """All corpora of a folder, and the files that none of them uses."""

    corpora: list[CorpusGuess] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
