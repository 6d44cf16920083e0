"""Lines to rows of cells, with or without quotes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from skill_plugin.readers.row import UnreadableError
from skill_plugin.readers.text_lines import Line


@dataclass(slots=True)
class Record:
    """A row of cells.

    Attributes:
        first: its first line, from 1.
        last: its last line; beyond ``first`` where a quoted cell holds line ends.
        problem: (reason, message) of a line that it is made of.
        torn: the last line on which text follows a closing quote, or 0: the quotes were hardly meant as quotes.
    """

    first: int
    last: int
    cells: list[str]
    problem: tuple[str, str] | None
    torn: int = 0


def read_plain(lines: Iterable[Line], separator: str) -> Iterator[Record]:
    """Rows whose quotes are ordinary text: one line a row."""
    for line in lines:
        yield Record(line.number, line.number, line.text.split(separator), line.problem)


def read_quoted(lines: Iterable[Line], separator: str, quote: str) -> Iterator[Record]:
    """Rows as Python's csv module reads them: a cell that starts with the quote goes on to the next single quote.

    Python's own module is not used because it takes a lone carriage return for a line end, and at the end of the file
    says nothing about a quote that was never closed.

    Raises:
        UnreadableError: a quote that is never closed has swallowed the rest of the file.
    """
    stream = iter(lines)
    for line in stream:
        if quote in line.text:
            yield _Parser(stream, separator, quote).parse(line)
        else:
            yield Record(line.number, line.number, line.text.split(separator), line.problem)


class _Parser:
    """Parses one record that holds a quote."""

    def __init__(self, stream: Iterator[Line], separator: str, quote: str) -> None:
        self.stream = stream
        self.separator = separator
        self.quote = quote

    def parse(self, line: Line) -> Record:
        self.line = line
        self.record = Record(line.number, line.number, [], line.problem)
        position = 0
        while True:
            quoted = self.line.text.startswith(self.quote, position)
            cell = ""
            if quoted:
                cell, position = self.quoted_part(position + 1)
            text = self.line.text
            end = text.find(self.separator, position)
            tail = text[position:] if end < 0 else text[position:end]
            if quoted and tail:
                self.record.torn = self.line.number
            self.record.cells.append(cell + tail)
            if end < 0:
                return self.record
            position = end + len(self.separator)

    def quoted_part(self, position: int) -> tuple[str, int]:
        """The text up to the closing quote, and the position behind that quote in what is then the current line."""
        opened = self.line.number
        parts: list[str] = []
        while True:
            end = self.line.text.find(self.quote, position)
            if end < 0:
                parts += self.line.text[position:], self.line.end
                self.next_line(opened)
                position = 0
            elif self.line.text.startswith(self.quote, end + 1):  # doubled: one quote of the text
                parts += self.line.text[position:end], self.quote
                position = end + 2
            else:
                parts.append(self.line.text[position:end])
                return "".join(parts), end + 1

    def next_line(self, opened: int) -> None:
        line = next(self.stream, None)
        if line is None:
            lost = self.line.number - self.record.first + 1
            message = f"the quote {self.quote} that opens a cell is never closed; quoting: none reads quotes as text"
            raise UnreadableError(opened, message, lost=lost)
        self.line = line
        self.record.last = line.number
        self.record.problem = self.record.problem or line.problem
