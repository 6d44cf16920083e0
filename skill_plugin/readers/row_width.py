"""The number of cells in the rows of a tsv or csv file, and messages about rows with another number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from skill_plugin.errors import counted
from skill_plugin.readers.cells import Record, RecordRun, quotes_hint
from skill_plugin.readers.row import FileNotice
from skill_plugin.spec.columns import list_columns
from skill_plugin.spec.corpus import Corpus

SEPARATORS = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar"}
SAMPLED_ROWS = 1000  # the width of a table without a header is found from this many rows


@dataclass
class OddRows:
    """Rows with an unusual number of cells.

    Attributes:
        count: how many.
        line: the line of the first one.
        fewest, most: the cells of such a row.
    """

    count: int = 0
    line: int = 0
    fewest: int = 0
    most: int = 0

    def add(self, line: int, cells: int) -> None:
        if not self.count:
            self.line, self.fewest = line, cells
        self.count += 1
        self.fewest, self.most = min(self.fewest, cells), max(self.most, cells)

    @property
    def range(self) -> str:
        """How many cells they have, in words."""
        most = counted(self.most, "cell")
        return most if self.fewest == self.most else f"{self.fewest} to {most}"


@dataclass
class RowWidth:
    """The number of cells that a row has, and whether a row may have another number.

    Attributes:
        corpus: the corpus; its ``extra_cells`` and ``missing_cells`` say what is allowed.
        cells: the number of cells.
        why: where the number is from, for messages.
        longer, shorter: the rows with more or with fewer cells that were allowed.
    """

    corpus: Corpus
    cells: int
    why: str = ""
    longer: OddRows = field(default_factory=OddRows)
    shorter: OddRows = field(default_factory=OddRows)

    @classmethod
    def of_rows(cls, corpus: Corpus, sample: Sequence[Record], needed: int, used: int) -> RowWidth:
        """Makes it for a file without a header: the width of most rows.

        Args:
            corpus: the corpus.
            sample: the first ``SAMPLED_ROWS`` rows.
            needed: the number of cells up to the last required column.
            used: the number of cells up to the last column that is read.
        """
        if corpus.extra_cells == "drop":  # a test split may end before the answers
            return cls(corpus, used if any(len(record.cells) >= used for record in sample) else needed)
        widths = Counter(len(record.cells) for record in sample if record.cells != [""])
        enough = {width: rows for width, rows in widths.items() if width >= needed}
        if not enough:
            return cls(corpus, needed)
        usual = max(enough, key=enough.__getitem__)
        of_rows = f"{len(sample):,}" if len(sample) < SAMPLED_ROWS else f"the first {SAMPLED_ROWS:,}"
        return cls(corpus, usual, f", as {enough[usual]:,} of {of_rows} rows have")

    def fault(self, record: Record) -> str | None:
        """What is wrong with the number of cells of a row; None if it is right or allowed."""
        cells = len(record.cells)
        if cells > self.cells and self.corpus.extra_cells == "drop":
            self.longer.add(record.first, cells)
        elif cells < self.cells and self.corpus.missing_cells == "empty":
            self.shorter.add(record.first, cells)
        elif cells != self.cells:
            return self._message(record)
        return None

    def allow_longer(self, run: RecordRun) -> None:
        """Notes the rows of a run that have more cells."""
        for number, row in enumerate(run.rows, run.first):
            if len(row) > self.cells:
                self.longer.add(number, len(row))

    def notices(self) -> list[FileNotice]:
        """Says how many rows with other numbers of cells were allowed."""
        columns = [column for field in self.corpus.columns.values() for column in list_columns(field)]
        first = "" if any(isinstance(column, int) and column < 0 for column in columns) else "the first "
        dropped = f"of which only {first}{self.cells} are used (extra_cells: drop)"
        empty = f"where {self.cells} were expected; missing ones are empty (missing_cells: empty)"
        return [
            FileNotice(rows.line, f"rows with {rows.range}, {what}: {rows.count:,}")
            for rows, what in ((self.longer, dropped), (self.shorter, empty))
            if rows.count
        ]

    def _message(self, record: Record) -> str:
        lines = f" over lines {record.first} to {record.last}" if record.last > record.first else ""
        allowed = ""
        if self.corpus.extra_cells == "drop" or not (self.why or self.corpus.header):
            allowed = " or more"
        elif self.corpus.missing_cells == "empty":
            allowed = " or fewer"
        message = f"{counted(len(record.cells), 'cell')}{lines}; expected {self.cells}{allowed}{self.why}"
        return message + self._hint(record, bool(lines))

    def _hint(self, record: Record, several_lines: bool) -> str:
        """The option that was probably forgotten."""
        if several_lines or record.torn:
            return f": are the quotes text? {quotes_hint(record)}"
        written = self.corpus.quote if self.corpus.quoting == "csv" else ""
        for quote in ("'", '"'):
            if quote != written and any(cell.startswith(quote) for cell in record.cells):
                option = "quoting: csv" if quote == '"' else f'quote: "{quote}"'
                option += ", quoting: csv" if quote == "'" and not written else ""
                return f"; cells begin with {quote}: is that a quote ({option})?"
        if len(record.cells) > self.cells and not self.corpus.header:
            return "; extra_cells: drop leaves out the cells beyond the last column"
        return suggest_separator(record.cells, self.corpus.separator)


def suggest_separator(cells: Sequence[str], separator: str) -> str:
    """A hint for a row of one cell that another usual separator would split into several."""
    for other, name in SEPARATORS.items():
        if len(cells) == 1 and other != separator and other in cells[0]:
            written = SEPARATORS.get(separator, repr(separator))
            return f"; the row is one cell between {written}s, but holds a {name}: is that the separator?"
    return ""
