"""One to three texts and a label."""

from __future__ import annotations

from skill_plugin.readers.example import Example
from skill_plugin.readers.item_reader import ItemReader
from skill_plugin.readers.row import Row


class ClassificationReader(ItemReader):
    """Texts as in the file, the label after ``label_map``."""

    def read(self, row: Row) -> Example:
        label = self.label(row)
        texts = self.texts(row)
        return Example(texts, self.checked_label(label), self.reading.file, row.line)
