"""A review and its stars."""

from __future__ import annotations

from skill_plugin.readers.cell_values import parse_whole_number
from skill_plugin.readers.example import Example
from skill_plugin.readers.item_reader import ItemReader
from skill_plugin.readers.left_out import RejectedError
from skill_plugin.readers.row import Row
from tests.kinds.stars.keys import StarsKeys


class StarsReader(ItemReader):
    """Stars are whole numbers from 1 to the most that there are."""

    def read(self, row: Row) -> Example:
        value = self.value(row, "stars")
        stars, most = parse_whole_number(value), StarsKeys.of(self.corpus).most
        if (stars is None or not 1 <= stars <= most) and not (value is None and self.reading.may_lack_answers):
            message = f"the stars are {value!r}; expected a number from 1 to {most}"
            raise RejectedError("unusable stars", message, "stars")
        return Example(self.texts(row), None if stars is None else (stars,), self.reading.file, row.line)
