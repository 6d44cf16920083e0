"""Two words in one or two texts, and a label."""

from __future__ import annotations

import re
from typing import Any

from skill_plugin.readers.example import Example
from skill_plugin.readers.json_values import describe
from skill_plugin.readers.kinds.cell_values import whole_number
from skill_plugin.readers.kinds.item_reader import ItemReader, RejectedError
from skill_plugin.readers.row import Row, shorten

_WORDS = re.compile(r"\S+")
_OTHER = "words that are not the text at their offsets"


class WordInContextReader(ItemReader):
    """Both words by their offsets, in characters or in words between white space; the second one is in text_b if any.

    Where a text at the offsets holds the given word and more, as the comma in "they,", only the word counts.
    """

    def read(self, row: Row) -> Example:
        label = self.label(row)
        texts = self.texts(row)
        second = len(texts) - 1
        spans = (0, *self.span(row, "a", texts[0])), (second, *self.span(row, "b", texts[second]))
        return Example(texts, self.checked_label(label), self.reading.file, row.line, spans=spans)

    def span(self, row: Row, side: str, text: str) -> tuple[int, int]:
        """[start, end) in characters."""
        word = self.text(row, f"word_{side}") if f"word_{side}" in self.corpus.columns else None
        start = self.offset(row, f"start_{side}")
        if f"end_{side}" in self.corpus.columns:
            end = self.offset(row, f"end_{side}")
        elif self.corpus.offsets == "words":
            end = start + max(1, len(_WORDS.findall(word or "")))
        else:
            end = start + len(word or "")
        count = len(text)
        if self.corpus.offsets == "words":
            places = [match.span() for match in _WORDS.finditer(text)]
            count = len(places)
        if not 0 <= start < end <= count:
            message = f"the word {side} is at {start} to {end} (exclusive); expected offsets in {self.corpus.offsets}"
            raise RejectedError("offsets outside the text", f"{message} between 0 and {count}", f"start_{side}")
        if self.corpus.offsets == "words":
            start, end = places[start][0], places[end - 1][1]
        return (start, end) if word is None else self.narrowed(row, word.strip(), text, start, end)

    def narrowed(self, row: Row, word: str, text: str, start: int, end: int) -> tuple[int, int]:
        """The place of the word within what stands at the offsets; a note if it is not there."""
        inside = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text[start:end], re.IGNORECASE)
        if word and inside is not None and self.corpus.offsets == "words":
            return start + inside.start(), start + inside.end()
        if text[start:end].casefold() != word.casefold():
            self.reading.note(_OTHER, row.line, f"{shorten(word)} is {shorten(text[start:end])} there")
        return start, end

    def offset(self, row: Row, name: str) -> int:
        value: Any = self.value(row, name)
        offset = whole_number(value)
        if offset is None or isinstance(value, bool):
            message = f"the offset in column {self.column(name)!r} is {describe(value)}; expected a whole number from 0"
            raise RejectedError("unusable offsets", message, name)
        return offset
