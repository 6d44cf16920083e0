"""Two words in one or two texts, and a label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from skill_plugin.kinds.word_in_context.keys import WordInContextKeys
from skill_plugin.readers.cell_values import parse_whole_number
from skill_plugin.readers.example import Example
from skill_plugin.readers.item_reader import ItemReader
from skill_plugin.readers.json_values import describe_value
from skill_plugin.readers.left_out import RejectedError
from skill_plugin.readers.offsets import CHARACTERS, Claim, find_character, guess_unit
from skill_plugin.readers.row import Row, shorten
from skill_plugin.readers.spilled import SpilledList
from skill_plugin.readers.split_reading import SplitReading

_WORDS = re.compile(r"\S+")
_OTHER = "words that are not the text at their offsets"
_OTHER_UNIT = "offsets of words that count {} (all of the split are read so)"


class _Word(NamedTuple):
    """A word as in the file; ``end`` is None where the file has none, ``word`` too."""

    side: str
    text: str
    word: str | None
    start: int
    end: int | None


class _Read(NamedTuple):
    """A row as in the file."""

    line: int
    texts: tuple[str, ...]
    words: tuple[_Word, _Word]
    label: str | None


class WordInContextReader(ItemReader):
    """Both words by their offsets, in characters or in words between white space; the second one is in text_b if any.

    Offsets in characters count what explains them best (``offsets.guess_unit``), which only all rows of a split tell.
    Where a text at the offsets holds the given word and more, as the comma in "they,", only the word counts.
    """

    counted = ("text_a", "text_b")

    def __init__(self, reading: SplitReading) -> None:
        super().__init__(reading)
        self.own = WordInContextKeys.of(self.corpus)
        self.rows: SpilledList[_Read] = SpilledList()
        self.unit = CHARACTERS

    def read(self, row: Row) -> None:
        label = self.label(row)
        texts = self.texts(row)
        words = self.word(row, "a", texts[0]), self.word(row, "b", texts[-1])
        self.rows.append(_Read(row.line, texts, words, self.checked_label(label)))

    def finish(self) -> Iterator[Example | tuple[int, RejectedError]]:
        if self.own.offsets == CHARACTERS:
            words = (word for read in self.rows for word in read.words)
            self.unit = guess_unit(Claim(one.text, one.start, one.word) for one in words if one.word)
        for read in self.rows:
            numbers = (0, len(read.texts) - 1)
            try:
                a, b = [(i, *self.span(word, read.line)) for i, word in zip(numbers, read.words, strict=True)]
            except RejectedError as error:
                yield read.line, error
                continue
            yield Example(read.texts, read.label, self.reading.file, read.line, spans=(a, b))

    def word(self, row: Row, side: str, text: str) -> _Word:
        """What a row says of one of the two words, ``side`` a or b."""
        word = self.text(row, f"word_{side}").strip() if f"word_{side}" in self.corpus.columns else None
        end = self.offset(row, f"end_{side}") if f"end_{side}" in self.corpus.columns else None
        return _Word(side, text, word, self.offset(row, f"start_{side}"), end)

    def span(self, written: _Word, line: int) -> tuple[int, int]:
        """[start, end) in characters."""
        in_words = self.own.offsets == "words"
        places = [match.span() for match in _WORDS.finditer(written.text)] if in_words else []
        start, end = self.bounds(written)
        count = len(places) if in_words else len(written.text)
        if not 0 <= start < end <= count:
            message = f"the word {written.side} is at {start} to {end} (exclusive); expected offsets in"
            message += f" {self.own.offsets} between 0 and {count}"
            raise RejectedError("offsets outside the text", message, f"start_{written.side}")
        if in_words:
            start, end = places[start][0], places[end - 1][1]
        elif start != written.start:
            self.reading.note(_OTHER_UNIT.format(self.unit), line, shorten(written.text[start:end]))
        return (start, end) if written.word is None else self.narrowed(written, line, start, end)

    def bounds(self, written: _Word) -> tuple[int, int]:
        """First and one past the last, in what the corpus's offsets count; as in the file where that is no place."""
        start, end, word = written.start, written.end, written.word or ""
        if self.own.offsets == "words":
            return start, start + max(1, len(_WORDS.findall(word))) if end is None else end
        at = find_character(written.text, start, self.unit)
        last = None if end is None else find_character(written.text, end, self.unit)
        start = start if at is None else at
        return start, (start + len(word) if end is None else end if last is None else last)

    def narrowed(self, written: _Word, line: int, start: int, end: int) -> tuple[int, int]:
        """The place of the word within what stands at the offsets; a note if it is not there."""
        word, text = written.word or "", written.text
        inside = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text[start:end], re.IGNORECASE)
        if word and inside is not None and self.own.offsets == "words":
            return start + inside.start(), start + inside.end()
        if text[start:end].casefold() != word.casefold():
            self.reading.note(_OTHER, line, f"{shorten(word)} is {shorten(text[start:end])} there")
        return start, end

    def offset(self, row: Row, name: str) -> int:
        """A whole number from 0 in a column."""
        value: Any = self.value(row, name)
        offset = parse_whole_number(value)
        if offset is None or isinstance(value, bool):
            message = (
                f"the offset in column {self.column(name)!r} is {describe_value(value)}; expected a whole number from 0"
            )
            raise RejectedError("unusable offsets", message, name)
        return offset
