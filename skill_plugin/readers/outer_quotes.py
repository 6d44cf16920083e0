"""Detects quotes around cells that were read as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from skill_plugin.readers.row import FileNotice, RowRun
from skill_plugin.spec.columns import Column
from skill_plugin.spec.corpus import Corpus

_QUOTES = ('"', "'")
_SHARE = 0.5  # if this share of a column's cells is wrapped in quotes, they are probably not text
_Sign = tuple[Column, str]


class OuterQuotes:
    """Counts the cells of each column that are still wrapped in quotes.

    A notice tells of them if most cells of a column are wrapped, or if quotes inside are doubled, as in a quoted cell.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.cells: Counter[Column] = Counter()
        self.wrapped: Counter[_Sign] = Counter()
        self.doubled: Counter[str] = Counter()
        self.first: dict[_Sign | str, int] = {}

    def see(self, line: int, values: dict[Column, str]) -> None:
        """Looks at the wanted cells of a row."""
        for column, value in values.items():
            self.cells[column] += bool(value)
        self._look_for_quotes(line, values)

    def see_run(self, run: RowRun) -> None:
        """Looks at the wanted cells of a run of rows."""
        quoted: set[int] = set()
        for column, values in run.columns.items():
            self.cells[column] += len(values) - values.count("")
            if not run.first_characters(column).isdisjoint(_QUOTES):
                quoted.update(number for number, value in enumerate(values) if value[:1] in _QUOTES)
        for number in sorted(quoted):
            row = run.row(number)
            self._look_for_quotes(row.line, row.values)

    def _look_for_quotes(self, line: int, values: Mapping[Column, str]) -> None:
        doubled = False
        for column, value in values.items():
            quote = value[:1]
            if quote in _QUOTES and len(value) > 1 and value[-1] == quote:
                self.wrapped[column, quote] += 1
                self.first.setdefault((column, quote), line)
                doubled |= quote == '"' and '""' in value[1:-1]
        if doubled and self.corpus.quoting == "none":
            self.doubled['"'] += 1
            self.first.setdefault('"', line)

    def notices(self) -> Iterator[FileNotice]:
        told: set[str] = set()
        for (column, quote), count in self.wrapped.items():
            if count > 1 and count >= _SHARE * self.cells[column]:
                told.add(quote)
                message = f"cells of column {column!r} that are wrapped in {quote}: {count:,} of {self.cells[column]:,}"
                yield FileNotice(self.first[column, quote], f"{message}, the first one here; {self._advice(quote)}")
        for quote, count in self.doubled.items():
            if quote not in told:
                message = 'rows with cells wrapped in " and "" inside, which quoting: csv would unwrap'
                yield FileNotice(self.first[quote], f"{message}: {count}")

    def _advice(self, quote: str) -> str:
        option = [] if self.corpus.quoting == "csv" else ["quoting: csv"]
        option += [] if quote == self.corpus.quote else [f'quote: "{quote}"' if quote == "'" else f"quote: '{quote}'"]
        return f"{' and '.join(option)} would unwrap them" if option else "they were quoted twice"
