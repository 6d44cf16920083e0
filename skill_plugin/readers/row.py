"""What the readers of the raw formats give to the one place that makes examples of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill_plugin.spec.columns import Column
from skill_plugin.spec.corpus import RawFiles

RowStream = Iterator["Row | BadRow | FileNotice"]


class FileLine(int):
    """The number of a line that knows where it stands, so that what is told of a row when other files of its split are
    being read names the right one."""

    origin: RawFiles

    def __new__(cls, number: int, origin: RawFiles) -> FileLine:
        line = super().__new__(cls, number)
        line.origin = origin
        return line


@dataclass(frozen=True, slots=True)
class Row:
    """A readable row: the wanted columns that it has, by reference. JSON values keep their type.

    ``lines`` are those of the words where each has its own; rows of one ``group``, an article or document of the file,
    belong together.
    """

    line: int
    values: dict[Column, Any]
    lines: tuple[int, ...] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be read; ``file`` only where it is not the first file of its input."""

    line: int
    reason: str
    message: str
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class FileNotice:
    """Something worth telling that loses no row."""

    line: int
    message: str
    file: Path | None = None


@dataclass(frozen=True)
class Wanted:
    """The columns to read; a row may lack only the optional ones."""

    required: tuple[Column, ...]
    optional: tuple[Column, ...] = ()

    @property
    def all(self) -> tuple[Column, ...]:
        return self.required + self.optional


class UnreadableError(Exception):
    """The file, or the rest of it, cannot be read; ``lost`` rows are known to be lost by this."""

    def __init__(self, line: int | None, message: str, file: Path | None = None, lost: int = 0) -> None:
        super().__init__(message)
        self.line = line
        self.message = message
        self.file = file
        self.lost = lost


def count_cells_needed(places: Iterable[int]) -> int:
    """Cells of a row in which columns counted from its start and from its end (-1) are not the same ones.

    >>> count_cells_needed([0, 2]), count_cells_needed([0, -1]), count_cells_needed([-2])
    (3, 2, 2)
    """
    known = list(places)
    return max((place + 1 for place in known if place >= 0), default=0) + max(-min(known, default=0), 0)


def shorten(value: Any, length: int = 60) -> str:
    """The value's repr, on one line and not too long."""
    text = repr(value[: length + 1] if isinstance(value, str) else value)
    return text if len(text) <= length else f"{text[: length - 1]}…"


def cite_line(line: int, near: int) -> str:
    """A line in a message about another one: ``line 3``, or with its file where that is another."""
    if isinstance(line, FileLine) and isinstance(near, FileLine) and line.origin != near.origin:
        return f"{line.origin.files[0].name}:{line}"
    return f"line {line}"
