"""Splits lines into rows of cells, with or without quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from skill_plugin.readers.row import UnreadableError
from skill_plugin.readers.text_columns import TextColumns
from skill_plugin.readers.text_lines import Line, LineRun

_FEW = 16  # lines, of which a run would take longer than one by one


@dataclass(slots=True)
class Record:
    """A row of cells.

    Attributes:
        first: the number of its first line, from 1.
        last: the number of its last line, which is greater than ``first`` if a quoted cell holds line ends.
        cells: its cells, without the quotes around them.
        problem: (reason, message) of a broken line among its lines, or None.
        torn: the last line on which text follows a closing quote, or 0 if there is none. Such quotes were probably
            meant as text.
        backslash: whether a quote stands behind a backslash although ``escape`` is not set.
    """

    first: int
    last: int
    cells: list[str]
    problem: tuple[str, str] | None
    torn: int = 0
    backslash: bool = False


@dataclass(slots=True)
class RecordRun:
    """Rows, one after the other, each on one line that has no problem and no quotes that mean something.

    Attributes:
        first: the number of the line of the first one.
        rows: the cells of each; by column where all have equally many.
    """

    first: int
    rows: TextColumns | list[list[str]]

    @classmethod
    def split(cls, run: LineRun, separator: str, max_cells: int | None = None) -> RecordRun:
        """Splits lines into cells, at most ``max_cells`` a line."""
        texts = run.texts
        width = texts[0].count(separator) + 1
        if len(separator) == 1 and (max_cells is None or width <= max_cells):
            whole = "\n".join(texts)
            if whole.count(separator) == (width - 1) * len(texts):
                # line ends become cells of their own; if each stands where it should, all lines have as many cells
                cells = whole.replace("\n", f"{separator}\n{separator}").split(separator)
                if cells[width :: width + 1].count("\n") == len(texts) - 1:
                    return cls(run.number, TextColumns([cells[place :: width + 1] for place in range(width)]))
        splits = -1 if max_cells is None else max_cells - 1
        return cls(run.number, [text.split(separator, splits) for text in texts])

    def __iter__(self) -> Iterator[Record]:
        return (Record(number, number, [*cells], None) for number, cells in enumerate(self.rows, self.first))


def read_plain(
    lines: Iterable[Line | LineRun], separator: str, max_cells: int | None = None
) -> Iterator[Record | RecordRun]:
    """Reads rows in which quotes are text. Each line is a row; it is split into at most ``max_cells`` cells."""
    splits = -1 if max_cells is None else max_cells - 1
    for line in lines:
        if isinstance(line, LineRun):
            yield RecordRun.split(line, separator, max_cells)
        else:
            yield Record(line.number, line.number, line.text.split(separator, splits), line.problem)


def read_quoted(
    lines: Iterable[Line | LineRun], separator: str, quote: str, escape: str | None = None
) -> Iterator[Record | RecordRun]:
    """Reads rows as Python's csv module does: a cell that begins with a quote ends at the next one that is not doubled.

    Two things differ. A quoted cell may have spaces before it, as in ``"a", "b"``, if it ends on the same line. And
    ``escape`` turns a quote or an escape behind it into text; before anything else it is text itself.

    Python's own module is not used because it takes a lone carriage return for a line end, and does not report a quote
    that is still open at the end of the file.

    Raises:
        UnreadableError: a quote is never closed, so that the rest of the file is one cell.
    """
    stream = _Lines(lines)
    parser = _Parser(stream, separator, quote, escape)
    while True:
        if (run := stream.take_run(quote)) is not None:
            yield RecordRun.split(run, separator)
            continue
        line = next(stream, None)
        if line is None:
            return
        if quote in line.text:
            yield parser.parse(line)
        else:
            yield Record(line.number, line.number, line.text.split(separator), line.problem)


def quotes_hint(record: Record) -> str:
    """The advice for a record whose quotes were probably meant as text."""
    escape = """, escape: "\\\\" takes \\" for a quote of the text""" if record.backslash else ""
    return f"quoting: none reads quotes as text{escape}"


class _Lines:
    """An iterator over lines, of which those of a run can be taken together."""

    def __init__(self, lines: Iterable[Line | LineRun]) -> None:
        self._items = iter(lines)
        self._run = LineRun(1, [], "")
        self._at = 0  # the next line of the run
        self._item: Line | None = None  # the line behind the run

    def __iter__(self) -> Iterator[Line]:
        return self

    def __next__(self) -> Line:
        self._fill()
        if self._at < len(self._run.texts):
            self._at += 1
            return Line(self._run.number + self._at - 1, self._run.texts[self._at - 1], self._run.end, None)
        if self._item is None:
            raise StopIteration
        item, self._item = self._item, None
        return item

    def take_run(self, quote: str) -> LineRun | None:
        """The lines of a run that come before the first one with a quote; None if they are few."""
        self._fill()
        texts, start = self._run.texts, self._at
        end = next((number for number in range(start, len(texts)) if quote in texts[number]), len(texts))
        if end - start < _FEW:
            return None
        self._at = end
        return LineRun(self._run.number + start, texts[start:end], self._run.end)

    def _fill(self) -> None:
        if self._at < len(self._run.texts) or self._item is not None:
            return
        item = next(self._items, None)
        if isinstance(item, LineRun):
            self._run, self._at = item, 0
        else:
            self._item = item


class _Parser:
    """Parses records that begin on a line with a quote, one at a time."""

    def __init__(self, stream: Iterator[Line], separator: str, quote: str, escape: str | None) -> None:
        self.stream = stream
        self.separator = separator
        self.quote = quote
        mark, end = re.escape(quote), re.escape(separator)
        special = [mark, *([re.escape(escape)] if escape else [])]
        self.special = re.compile("|".join(special))
        escaped = f"{special[-1]}.|" if escape else ""
        quoted = f"{mark}(?:{escaped}{mark}{mark}|[^{''.join(special)}])*{mark}"
        self.spaced = None if separator.isspace() else re.compile(f" +(?={quoted} *(?:{end}|$))")
        self.escape = escape

    def parse(self, line: Line) -> Record:
        self.line = line
        self.record = Record(line.number, line.number, [], line.problem)
        position = 0
        while True:
            if self.spaced is not None and (spaces := self.spaced.match(self.line.text, position)):
                position = spaces.end()
            quoted = self.line.text.startswith(self.quote, position)
            cell = ""
            if quoted:
                cell, position = self.quoted_part(position + 1)
            text = self.line.text
            end = text.find(self.separator, position)
            tail = text[position:] if end < 0 else text[position:end]
            if quoted and tail.strip():
                self.record.torn = self.line.number
            elif quoted:
                tail = ""
            self.record.cells.append(cell + tail)
            if end < 0:
                return self.record
            position = end + len(self.separator)

    def quoted_part(self, position: int) -> tuple[str, int]:
        """The text up to the closing quote, and the position behind that quote in the line that holds it."""
        opened = self.line.number
        parts: list[str] = []
        while True:
            text = self.line.text
            found = self.special.search(text, position)
            if found is None:
                parts += text[position:], self.line.end
                self.next_line(opened)
                position = 0
                continue
            end, mark, after = found.start(), found.group(), text[found.end() : found.end() + 1]
            parts.append(text[position:end])
            position = end + 1
            if mark == self.quote:
                self.record.backslash |= self.escape is None and text[end - 1 : end] == "\\"
                if after != self.quote:
                    return "".join(parts), position
            if self.special.match(after):  # a doubled quote, an escaped quote or escape: one of the text
                parts.append(after)
                position += 1
            else:
                parts.append(mark)

    def next_line(self, opened: int) -> None:
        line = next(self.stream, None)
        if line is None:
            lost = self.line.number - self.record.first + 1
            message = f"the quote {self.quote} that opens a cell is never closed; {quotes_hint(self.record)}"
            raise UnreadableError(opened, message, lost=lost)
        self.line = line
        self.record.last = line.number
        self.record.problem = self.record.problem or line.problem
