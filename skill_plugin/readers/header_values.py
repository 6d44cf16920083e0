"""Detects a first line that was taken for the header although it is a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.row import FileNotice, RowRun, shorten
from skill_plugin.spec.columns import Column, list_columns
from skill_plugin.spec.corpus import Corpus


class HeaderValues:
    """Checks whether the header cell of an answer column that is given by number is an answer of other rows too."""

    def __init__(self, corpus: Corpus, line: int, cells: Sequence[str], places: Mapping[Column, int]) -> None:
        answers = [corpus.columns[name] for name in kind_named(corpus.kind).answers if name in corpus.columns]
        numbers = {column for field in answers for column in list_columns(field) if isinstance(column, int)}
        self.line = line
        self.named: dict[Column, str] = {
            column: cells[places[column]] for column in numbers if column in places and cells[places[column]]
        }
        self.found: Column | None = None

    def see(self, values: Mapping[Column, str]) -> None:
        """Looks at the wanted cells of a row."""
        if self.found is None:
            self.found = next((column for column, name in self.named.items() if values.get(column) == name), None)

    def see_run(self, run: RowRun) -> None:
        """Looks at the wanted cells of a run of rows."""
        columns = [(column, run.columns[column]) for column in self.named if column in run.columns]
        if self.found is None and any(self.named[column] in values for column, values in columns):
            for row in run:
                self.see(row.values)

    def notices(self) -> Iterator[FileNotice]:
        if self.found is not None:
            message = f"the header has {shorten(self.named[self.found])} in column {self.found}, as rows have; "
            yield FileNotice(self.line, message + "is it a row (header: false)?")
