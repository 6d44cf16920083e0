"""A sentence whose words have tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from skill_plugin.readers.example import Example
from skill_plugin.readers.json_values import describe
from skill_plugin.readers.kinds.cell_values import scalar, whole_number
from skill_plugin.readers.kinds.item_reader import PLAIN_ANSWER, ItemReader, RejectedError
from skill_plugin.readers.row import Row, shorten
from skill_plugin.spec.tag_schemes import OUTSIDE, RAW, expected_tags, only_inside, scheme_of, split_tag

_JOINED = {"space": " ", "none": ""}
_UNKNOWN = "words with a tag that never occurs in train, so that no prediction can be right"
_NO_BEGIN = "words tagged I- after neither B- nor I- of their type (lenient: true lets them begin an entity)"
_ONLY_INSIDE = "words tagged I- at which an entity begins, since no tag is a B- (read as with lenient: true)"
_OVERLAP = "entities left out because they overlap a longer one"
_SURFACE = "entities whose text is not at their offsets"


class LabellingReader(ItemReader):
    """Words with tags, or a text with entities, which then is labelled character by character in BIO.

    The sentence is made of the words, with a space or nothing between them (``join``). White space of a text with
    entities is no word.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.usual: dict[str, str] = {}  # tags as in the file that nothing is to be said of
        self.unbegun: list[int] = []  # lines of I- without B-

    def read(self, row: Row) -> Example:
        if "text" in self.corpus.columns:
            return self.with_entities(row)
        words = self.words(row)
        raw = self.raw_tags(row, len(words))
        tags = None if raw is None else self.tags(raw, row)
        if tags is None and self.reading.split != "test":
            raise RejectedError("missing tag", "no tags; expected one a word", "tag")
        joint = _JOINED[self.corpus.join]
        sentence = joint.join(words)
        return Example((sentence,), tags, self.reading.file, row.line, words=tuple(_places(words, len(joint))))

    def words(self, row: Row) -> list[str]:
        words = self.cells(row, "token", "words")
        for number, word in enumerate(words):
            if not isinstance(word, str) or not word.isascii():
                self.checked_text(word, "a word", "token")
            if not word:
                raise RejectedError("empty word", f"the word {number} (from 0) is empty", "token", _line(row, number))
        if not words:
            raise RejectedError("no words", "no words; expected one or more", "token")
        return words

    def raw_tags(self, row: Row, words: int) -> list[Any] | None:
        if self.value(row, "tag") is None:
            return None
        tags = self.cells(row, "tag", "tags")
        if not tags:
            return None
        if len(tags) != words:
            message = f"{words} words but {len(tags)} tags; expected one tag a word"
            raise RejectedError("words and tags differ", message, "tag")
        return tags

    def cells(self, row: Row, name: str, what: str) -> list[Any]:
        value = self.value(row, name)
        if isinstance(value, str):
            separator = self.corpus.word_separator
            if separator == " ":
                return [part for part in value.split(" ") if part]
            return value.split(separator) if value else []
        if not isinstance(value, list):
            message = f"the {what} in column {self.column(name)!r} are {describe(value)}; expected a list or a string"
            raise RejectedError(f"no {what}", message, name)
        return value

    def tags(self, raw: Sequence[Any], row: Row) -> tuple[str, ...]:
        """The tags after ``label_map``.

        Raises:
            DroppedError: ``drop_labels`` names one of them.
            RejectedError: a tag is empty, or is not among ``labels``. A tag of valid or test that train lacks is kept:
                it is scored, and a prediction can only be wrong.
        """
        tags = [self.usual.get(value) if isinstance(value, str) else None for value in raw]
        for number, tag in enumerate(tags):
            if tag is None:
                tags[number] = self.tag(raw[number], number, row)
        named = tuple([tag for tag in tags if tag is not None])
        self.check_begins(named, row)
        return named

    def tag(self, value: Any, number: int, row: Row) -> str:
        text, problem = scalar(value)
        label = self.mapped(text.strip())
        if problem or label.name is None:
            message = f"the tag of word {number} (from 0) is {problem or 'empty'}; expected {PLAIN_ANSWER}"
            raise RejectedError("unusable tag", message, "tag", _line(row, number))
        self.check_scheme(label.name, _line(row, number))
        if self.known is None or label.name in self.known:
            self.usual[text] = label.name
        elif self.corpus.labels is not None or self.reading.split == "train":
            raise self.unknown(label, "tag", _line(row, number))
        else:
            self.reading.note(_UNKNOWN, _line(row, number) or row.line, repr(label.name))
        return label.name

    def check_scheme(self, tag: str, line: int | None) -> None:
        scheme = self.corpus.scheme
        if scheme is None or scheme == RAW or (split_tag(tag, scheme) is not None and tag[1:] != "-"):
            return
        message = f"the tag {tag!r} is not of the scheme {scheme}; expected {expected_tags(scheme)}"
        raise RejectedError("unusable tag", message, "tag", line)

    def check_begins(self, tags: Sequence[str], row: Row) -> None:
        """Remembers I-X that follows neither B-X nor I-X, for all tags that may turn out to be bio."""
        if self.corpus.lenient or self.corpus.scheme not in (None, "bio"):
            return
        before = ""
        for number, tag in enumerate(tags):
            said, kind = split_tag(tag, "bio") or (OUTSIDE, "")
            if said == "I" and kind != before:
                self.unbegun.append(_line(row, number) or row.line)
            before = kind

    def finish(self) -> Iterator[Example | tuple[int, RejectedError]]:
        tags = self.known or set(self.usual.values())
        if self.unbegun and (self.corpus.scheme or scheme_of(tags)) == "bio":
            inside = only_inside(tags, "bio")
            self.reading.note(_ONLY_INSIDE if inside else _NO_BEGIN, self.unbegun[0], count=len(self.unbegun))
        return iter(())

    def with_entities(self, row: Row) -> Example:
        text = self.text(row, "text")
        places = [(start, start + 1) for start, character in enumerate(text) if not character.isspace()]
        if not places:
            raise RejectedError("no words", "a text without characters; expected one or more", "text")
        value = self.value(row, "entities")
        if value is None and self.reading.split != "test":
            raise RejectedError("missing tag", "no entities; expected {type: {text: [[first, last]]}}", "entities")
        tags = None if value is None else self.tags(_bio(places, self.entities(value, text, row)), row)
        return Example((text,), tags, self.reading.file, row.line, words=tuple(places))

    def entities(self, value: Any, text: str, row: Row) -> list[tuple[int, int, str]]:
        """(start, end, type) in order, without overlaps: of two that overlap, the longer one."""
        found: list[tuple[int, int, str]] = []
        for name, surface, first, last in _spans(value):
            start, end = whole_number(first), whole_number(last)
            if start is None or end is None or not 0 <= start <= end < len(text):
                message = f"the entity {shorten(surface)} is at [{describe(first)}, {describe(last)}]; expected first"
                message += f" and last character, 0 to {len(text) - 1}"
                raise RejectedError("unusable entities", message, "entities")
            if text[start : end + 1] != surface:
                self.reading.note(_SURFACE, row.line, f"{shorten(surface)} is {shorten(text[start : end + 1])} there")
            found.append((start, end + 1, name))
        kept: list[tuple[int, int, str]] = []
        for start, end, name in sorted(found, key=lambda entity: (entity[0] - entity[1], entity[0])):
            if all(end <= other_start or other_end <= start for other_start, other_end, _ in kept):
                kept.append((start, end, name))
            else:
                self.reading.note(_OVERLAP, row.line, shorten(text[start:end]))
        return sorted(kept)


def _line(row: Row, number: int) -> int | None:
    return row.lines[number] if number < len(row.lines) else None


def _places(words: Sequence[str], joint: int) -> Iterator[tuple[int, int]]:
    start = 0
    for word in words:
        yield start, start + len(word)
        start += len(word) + joint


def _spans(value: Any) -> Iterator[tuple[str, str, Any, Any]]:
    """(type, surface, first, last) of CLUENER's {type: {surface: [[first, last], …]}}."""
    for name, surfaces in _members(value, "the entities are"):
        for surface, spans in _members(surfaces, f"the entities of type {name!r} are"):
            for span in spans if isinstance(spans, list) else [spans]:
                if not isinstance(span, list) or len(span) != 2:
                    message = f"a span of the entity {shorten(surface)} is {describe(span)}; expected [first, last]"
                    raise RejectedError("unusable entities", message, "entities")
                yield name, surface, span[0], span[1]


def _members(value: Any, what: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        message = f"{what} {describe(value)}; expected {{type: {{text: [[first, last]]}}}}"
        raise RejectedError("unusable entities", message, "entities")
    yield from value.items()


def _bio(places: Sequence[tuple[int, int]], entities: Sequence[tuple[int, int, str]]) -> list[str]:
    tags = [OUTSIDE] * len(places)
    for start, end, name in entities:
        inside = [number for number, (place, _) in enumerate(places) if start <= place < end]
        for number in inside:
            tags[number] = f"{'B' if number == inside[0] else 'I'}-{name}"
    return tags
