"""One to three texts and a label."""

from __future__ import annotations

from skill_plugin.readers.example import Example
from skill_plugin.readers.item_reader import ItemReader, OrdinaryRows
from skill_plugin.readers.left_out import DroppedError, RejectedError
from skill_plugin.readers.placeholders import usual_placeholder
from skill_plugin.readers.row import Row, RowRun
from skill_plugin.readers.split_reading import SplitReading
from skill_plugin.spec.labels import find_label_problem


class ClassificationReader(ItemReader):
    """Texts as in the file, the label after ``label_map``."""

    def __init__(self, reading: SplitReading) -> None:
        super().__init__(reading)
        self.plain: dict[str, str | None] = {}  # by cell, the label of which nothing has to be told
        self.odd: set[str] = set()  # other cells

    def read(self, row: Row) -> Example:
        label = self.label(row)
        texts = self.texts(row)
        return Example(texts, self.checked_label(label), self.reading.file, row.line)

    def read_ordinary(self, run: RowRun) -> OrdinaryRows | None:
        column = self.column("label")
        if column not in run.columns or (found := self.ordinary_texts(run)) is None:
            return None
        texts, odd = found
        cells = run.columns[column]
        for cell in set(cells).difference(self.plain, self.odd):
            self.learn(cell, Row(run.line, {column: cell}))
        if not self.odd.isdisjoint(cells):
            odd.update(number for number, cell in enumerate(cells) if cell in self.odd)
        return OrdinaryRows(texts, list(map(self.plain.get, cells)), sorted(odd))

    def learn(self, cell: str, row: Row) -> None:
        """Remembers what the cell of a label means, if ``read`` would say nothing of it."""
        self.odd.add(cell)
        if self.reading.split == "test" and usual_placeholder(self.corpus, cell) is not None:
            return
        try:
            name = self.label(row).name
        except (DroppedError, RejectedError):
            return
        known = self.known is None or name in self.known
        if self.reading.may_lack_answers if name is None else known and find_label_problem(name) is None:
            self.odd.remove(cell)
            self.plain[cell] = name
