"""Raw text, a row a text."""

from __future__ import annotations

from skill_plugin.readers.example import Example
from skill_plugin.readers.item_reader import ItemReader, OrdinaryRows
from skill_plugin.readers.left_out import DroppedError
from skill_plugin.readers.row import Row, RowRun


class MaskedLMReader(ItemReader):
    """Rows without text are left out and counted."""

    def read(self, row: Row) -> Example:
        text = self.text(row, "text")
        if not text.strip():
            raise DroppedError("empty text")
        return Example((text,), None, self.reading.file, row.line)

    def read_ordinary(self, run: RowRun) -> OrdinaryRows | None:
        if (found := self.ordinary_texts(run)) is None:
            return None
        texts, odd = found
        odd.update(number for number, text in enumerate(texts.columns[0]) if not text)
        return OrdinaryRows(texts, [None] * len(run), sorted(odd))
