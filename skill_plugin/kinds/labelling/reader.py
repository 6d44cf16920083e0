"""A sentence whose words have tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from skill_plugin.errors import counted
from skill_plugin.kinds.labelling.keys import LabellingKeys
from skill_plugin.kinds.labelling.text_entities import EXPECTED, make_tags, read_entities
from skill_plugin.readers.cell_values import read_scalar
from skill_plugin.readers.example import Example
from skill_plugin.readers.item_reader import PLAIN_ANSWER, ItemReader
from skill_plugin.readers.json_values import describe_value
from skill_plugin.readers.left_out import DroppedError, RejectedError
from skill_plugin.readers.placeholders import is_named_placeholder
from skill_plugin.readers.row import Row
from skill_plugin.readers.split_reading import SplitReading
from skill_plugin.readers.token_pattern import describe_mismatch, extract_token
from skill_plugin.spec.tag_schemes import OUTSIDE, RAW, expected_tags, find_scheme, is_inside_only, split_tag
from skill_plugin.text.words import split_words

_JOINED = {"space": " ", "none": ""}
_UNKNOWN = "words with a tag that never occurs in train, so that no prediction can be right"
_NO_BEGIN = "words tagged I- after neither B- nor I- of their type (lenient: true lets them begin an entity)"
_ONLY_INSIDE = "words tagged I- at which an entity begins, since no tag is a B- (read as with lenient: true)"
_NO_TAGS = "sentences whose tags are all '_', which says that they are not known"
_ONE_WORD = (
    "every row is a sentence of one word (columns: {sentence: …} names what rows of one sentence have in common)"
)
_DIGITS = "every word ends in a digit (pattern: '(.+?)[0-9]+' takes off what is not part of the words)"
_UNSPECIFIED = "_"  # of CoNLL-U
_FEW = 10  # words that may all be odd by chance


class LabellingReader(ItemReader):
    """Words with tags, or a text with entities, whose words then are tagged in BIO.

    The sentence is made of the words, with a space or nothing between them (``join``). They are those of a row, or
    with a column ``sentence`` those of the rows in which it stays the same or is empty. The words of a text are what
    ``predict`` takes for words (``split_words``).
    """

    counted = ("text",)

    def __init__(self, reading: SplitReading) -> None:
        super().__init__(reading)
        self.own = LabellingKeys.of(self.corpus)
        self.usual: dict[str, str] = {}  # label by tag as in the file, of tags that were found usable
        self.unbegun = self.first_unbegun = 0  # words with I- without B-, and the line of the first
        self.token_rows: list[tuple[str, list[Row]]] = []  # file and rows of each sentence, where a row is a token
        self.sentence: str | None = None  # what its rows have in common; None before the first one of a file
        self.seen = _Seen()

    def read(self, row: Row) -> Example | None:
        if "sentence" in self.corpus.columns:
            self.add_token(row)
            return None
        if "text" in self.corpus.columns:
            return self.with_entities(row)
        return self.with_tags(row)

    def with_tags(self, row: Row) -> Example:
        """A row with the words and the tags of a sentence."""
        words = self.words(row)
        raw = self.raw_tags(row, len(words))
        tags = None if raw is None else self.tags(raw, row)
        if tags is None and not self.reading.may_lack_answers:
            raise RejectedError("missing tag", "no tags; expected one a word", "tag")
        self.seen.add(words, row.line)
        joint = _JOINED[self.corpus.join]
        sentence = joint.join(words)
        return Example((sentence,), tags, self.reading.file, row.line, words=tuple(_places(words, len(joint))))

    def add_token(self, row: Row) -> None:
        """Keeps a row until its sentence is whole."""
        name = self.id_in(row, "sentence", "the sentence", ", or nothing where it goes on").strip()
        if self.sentence is None or name not in ("", self.sentence):
            self.token_rows.append((self.reading.file, []))
            self.sentence = name
        self.token_rows[-1][1].append(row)

    def begin_file(self) -> None:
        self.sentence = None

    def sentences(self) -> Iterator[Example | tuple[int, RejectedError]]:
        """The sentences of rows that are tokens. With a broken row the others of its sentence are left out too."""
        for file, rows in self.token_rows:
            names = [name for name in ("token", "tag") if any(self.value(row, name) is not None for row in rows)]
            columns = {self.column(name): [self.value(row, name) for row in rows] for name in names}
            lines = tuple([row.line for row in rows])
            try:
                whole = self.with_tags(Row(lines[0], {ref: v for ref, v in columns.items() if ref is not None}, lines))
                yield whole._replace(file=file)
                continue
            except DroppedError as dropped:
                error = RejectedError(str(dropped), "", quiet=True)
            except RejectedError as rejected:
                error = rejected
                yield lines[0], error
                lines = lines[1:]
            others = RejectedError(error.reason, error.message, quiet=True)
            yield from ((line, others) for line in lines)

    def first_text(self, row: Row) -> str:
        return self.text(row, "text") if "text" in self.corpus.columns else " ".join(self.words(row))

    def words(self, row: Row) -> list[str]:
        words = list(self.cells(row, "token", "words"))
        for number, word in enumerate(words):
            if not isinstance(word, str) or not word.isascii():
                self.checked_text(word, "a word", "token")
            if not word:
                raise RejectedError("empty word", f"the word {number} (from 0) is empty", "token", _line(row, number))
            if self.corpus.pattern is not None:
                token = extract_token(word, self.corpus.pattern)
                if token is None:
                    raise RejectedError(
                        "no token", describe_mismatch(word, self.corpus.pattern), "token", _line(row, number)
                    )
                words[number] = token
        if not words:
            raise RejectedError("no words", "no words; expected one or more", "token")
        return words

    def raw_tags(self, row: Row, words: int) -> list[Any] | None:
        """The tags of a row as written, one a word; None where it has no answer."""
        if self.value(row, "tag") is None:
            return None
        tags = self.cells(row, "tag", "tags")
        if not tags or all(is_named_placeholder(self.corpus, tag) for tag in tags):
            return None
        if (
            all(tag == _UNSPECIFIED for tag in tags)
            and self.known is not None
            and not self.means_something(_UNSPECIFIED)
        ):
            self.reading.note(_NO_TAGS, row.line)
            return None
        if len(tags) != words:
            message = f"{counted(words, 'word')} but {counted(len(tags), 'tag')}; expected one tag a word"
            raise RejectedError("words and tags differ", message, "tag")
        return tags

    def means_something(self, tag: str) -> bool:
        """Whether a tag is known, or has a meaning in the corpora file."""
        return tag in (self.known or ()) or tag in self.corpus.label_map or tag in self.corpus.drop_labels

    def cells(self, row: Row, name: str, what: str) -> list[Any]:
        value = self.listed(self.value(row, name), name, quoted=name == "token")
        if isinstance(value, str):
            separator = self.own.word_separator
            if separator == " ":
                return [part for part in value.split(" ") if part]
            return value.split(separator) if value else []
        if not isinstance(value, list):
            message = (
                f"the {what} in column {self.column(name)!r} are {describe_value(value)}; expected a list or a string"
            )
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
        """A tag as written, mapped and checked; ``number`` is that of its word."""
        text, problem = read_scalar(value)
        label = self.mapped(text.strip())
        if problem or label.name is None:
            message = f"the tag of word {number} (from 0) is {problem or 'empty'}; expected {PLAIN_ANSWER}"
            raise RejectedError("unusable tag", message, "tag", _line(row, number))
        self.usable_name(label.name, "tag", _line(row, number))
        self.check_scheme(label.name, _line(row, number))
        if self.known is None or label.name in self.known:
            self.usual[text] = label.name
        elif self.corpus.labels is not None or self.reading.split == "train":
            raise self.unknown(label, "tag", _line(row, number))
        else:
            self.reading.note(_UNKNOWN, _line(row, number) or row.line, repr(label.name))
        return label.name

    def check_scheme(self, tag: str, line: int | None) -> None:
        """Rejects a tag that the scheme of the corpora file does not have."""
        scheme = self.own.scheme
        if scheme is None or scheme == RAW or (split_tag(tag, scheme) is not None and tag[1:] != "-"):
            return
        message = f"the tag {tag!r} is not of the scheme {scheme}; expected {expected_tags(scheme)}"
        raise RejectedError("unusable tag", message, "tag", line)

    def check_begins(self, tags: Sequence[str], row: Row) -> None:
        """Remembers I-X that follows neither B-X nor I-X, for all tags that may turn out to be bio."""
        if self.own.lenient or self.own.scheme not in (None, "bio"):
            return
        before = ""
        for number, tag in enumerate(tags):
            said, kind = split_tag(tag, "bio") or (OUTSIDE, "")
            if said == "I" and kind != before:
                self.first_unbegun = self.first_unbegun or _line(row, number) or row.line
                self.unbegun += 1
            before = kind

    def finish(self) -> Iterator[Example | tuple[int, RejectedError]]:
        yield from self.sentences()
        tags = self.known or set(self.usual.values())
        if self.unbegun and (self.own.scheme or find_scheme(tags)) == "bio":
            inside = is_inside_only(tags, "bio")
            self.reading.note(_ONLY_INSIDE if inside else _NO_BEGIN, self.first_unbegun, count=self.unbegun)
        if self.seen.words >= _FEW and self.seen.all_end_in_digits and self.seen.letters:
            self.reading.note(_DIGITS, self.seen.line, count=self.seen.words)
        if self.seen.sentences == self.seen.words >= _FEW and self.corpus.format != "conll":
            self.reading.note(_ONE_WORD, self.seen.line, count=self.seen.words)

    def with_entities(self, row: Row) -> Example:
        """A row with a text, and entities at places in it."""
        text = self.text(row, "text")
        words = split_words(text, self.corpus.join == "space")
        if not words:
            raise RejectedError("no words", "a text without characters; expected one or more", "text")
        value = self.value(row, "entities")
        if value is None and not self.reading.may_lack_answers:
            raise RejectedError("missing tag", f"no entities; expected {EXPECTED}", "entities")
        tags = None
        if value is not None:
            entities = read_entities(value, text, row.line, self.reading)
            tags = self.tags(make_tags(words, entities, text, row.line, self.reading), row)
        return Example((text,), tags, self.reading.file, row.line, words=words)


@dataclass
class _Seen:
    """What the words of a split look like."""

    sentences: int = 0
    words: int = 0
    line: int = 0
    letters: bool = False
    all_end_in_digits: bool = True

    def add(self, words: Sequence[str], line: int) -> None:
        self.line = self.line or line
        self.sentences += 1
        self.words += len(words)
        if self.all_end_in_digits:
            self.all_end_in_digits = all(word[-1].isdigit() for word in words)
            self.letters = self.letters or any(word[0].isalpha() for word in words)


def _line(row: Row, number: int) -> int | None:
    return row.lines[number] if number < len(row.lines) else None


def _places(words: Sequence[str], joint: int) -> Iterator[tuple[int, int]]:
    start = 0
    for word in words:
        yield start, start + len(word)
        start += len(word) + joint
