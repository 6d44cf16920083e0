"""Raw text, a row a text."""

from __future__ import annotations

from skill_plugin.readers.example import Example
from skill_plugin.readers.item_reader import DroppedError, ItemReader
from skill_plugin.readers.row import Row


class MaskedLMReader(ItemReader):
    """Rows without text are left out and counted."""

    def read(self, row: Row) -> Example:
        text = self.text(row, "text")
        if not text.strip():
            raise DroppedError("empty text")
        return Example((text,), None, self.reading.file, row.line)
