"""Rows and notices: what the reader of a raw format gives, and of which examples are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

from skill_plugin.spec.columns import Column
from skill_plugin.spec.corpus import RawFiles

RowStream = Iterator["Row | BadRow | FileNotice"]
RunStream = Iterator["Row | RowRun | BadRow | FileNotice"]


class FileLine(int):
    """A line number that knows its file. It is used if a split has several files, so that a message about a row names
    the right file even if it is written while another file is read."""

    origin: RawFiles

    def __new__(cls, number: int, origin: RawFiles) -> FileLine:
        line = super().__new__(cls, number)
        line.origin = origin
        return line

    def __getnewargs__(self) -> tuple[int, RawFiles]:  # type: ignore[override]
        return int(self), self.origin


@dataclass(frozen=True, slots=True)
class Row:
    """A row that could be read.

    Attributes:
        line: the number of its first line.
        values: the values of the wanted columns that it has. JSON values keep their type.
        lines: the line of each word, if every word has its own.
        group: the article or document that it is a part of; rows of one group belong together.
    """

    line: int
    values: dict[Column, Any]
    lines: tuple[int, ...] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class RowRun:
    """Rows of a table that could be read, one after the other, each on one line.

    Attributes:
        line: the number of the line of the first one.
        columns: the values of the wanted columns that they have: text without NUL and without half surrogates.
        size: how many rows they are.
    """

    line: int
    columns: dict[Column, list[str]]
    size: int
    _beginnings: dict[Column, set[str]] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return self.size

    def row(self, number: int) -> Row:
        """The row with this number in the run."""
        return Row(self.line + number, {column: values[number] for column, values in self.columns.items()})

    def __iter__(self) -> Iterator[Row]:
        return map(self.row, range(self.size))

    def first_characters(self, column: Column) -> set[str]:
        """The characters with which the values of a column begin; several ask, and it is found once."""
        if column not in self._beginnings:
            self._beginnings[column] = set(map(itemgetter(0), filter(None, self.columns[column])))
        return self._beginnings[column]


def single_rows(stream: Iterable[Row | RowRun | BadRow | FileNotice]) -> RowStream:
    """Gives the rows of runs one by one."""
    for item in stream:
        if isinstance(item, RowRun):
            yield from item
        else:
            yield item


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be read. ``file`` is given if it is not the first of its parallel files."""

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
    """The columns to read. A row must have the required ones; it may lack the optional ones."""

    required: tuple[Column, ...]
    optional: tuple[Column, ...] = ()

    @property
    def all(self) -> tuple[Column, ...]:
        """The columns to read, required or not."""
        return self.required + self.optional


class UnreadableError(Exception):
    """A file, or the rest of it, cannot be read. ``lost`` is how many rows are known to be lost."""

    def __init__(self, line: int | None, message: str, file: Path | None = None, lost: int = 0) -> None:
        super().__init__(message)
        self.line = line
        self.message = message
        self.file = file
        self.lost = lost


def count_cells_needed(places: Iterable[int]) -> int:
    """The fewest cells of a row in which columns counted from the start and from the end (-1) do not coincide.

    >>> count_cells_needed([0, 2]), count_cells_needed([0, -1]), count_cells_needed([-2])
    (3, 2, 2)
    """
    known = list(places)
    return max((place + 1 for place in known if place >= 0), default=0) + max(-min(known, default=0), 0)


def shorten(value: Any, length: int = 60) -> str:
    """The repr of a value, cut if it is longer than ``length``."""
    text = repr(value[: length + 1] if isinstance(value, str) else value)
    return text if len(text) <= length else f"{text[: length - 1]}…"


def cite_line(line: int, near: int) -> str:
    """How a message about the line ``near`` names another line: ``line 3``, or with its file if that is another one."""
    if isinstance(line, FileLine) and isinstance(near, FileLine) and line.origin != near.origin:
        return f"{line.origin.files[0].name}:{line}"
    return f"line {line}"
