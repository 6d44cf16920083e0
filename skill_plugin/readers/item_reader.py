"""What all kinds share in making examples of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from skill_plugin.errors import nearest
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.cell_values import (
    HALF_SURROGATE,
    expected_label,
    looks_listed,
    parse_finite_number,
    parse_list,
    read_scalar,
)
from skill_plugin.readers.example import Example
from skill_plugin.readers.json_values import describe_value
from skill_plugin.readers.placeholders import USUAL_PLACEHOLDERS, is_named_placeholder, usual_placeholder
from skill_plugin.readers.row import Row, shorten
from skill_plugin.spec.columns import Column, Joined
from skill_plugin.spec.corpus import Corpus
from skill_plugin.spec.labels import find_label_problem

PLACEHOLDERS = "values that are no answer but stand where one would be"
_LISTED = "texts that are lists as they are written in a cell ({0}: {{columns: {1}}} joins their parts)"
PLAIN_ANSWER = "a string or a whole number"
LISTED = 20  # faults of one reason that are listed one by one; a wrong separator should not print a million lines


class RejectedError(Exception):
    """A row that is left out because something in it is wrong.

    Attributes:
        reason: under which it is counted: the kind of fault, not what stands in the row.
        message: for a person.
        column: meaning of the column at fault, where that tells the file (format lines).
        line: where it stands, if not at the row's first line.
        always_a_fault: even with ``on_bad_row: skip``.
        quiet: counted and told in a notice, but never a fault.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        column: str | None = None,
        line: int | None = None,
        always_a_fault: bool = False,
        quiet: bool = False,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.column = column
        self.line = line
        self.always_a_fault = always_a_fault
        self.quiet = quiet


class DroppedError(Exception):
    """A row that the corpora file asks to leave out; ``str(error)`` is the reason under which it is counted."""


@dataclass
class Note:
    """Something worth telling once, with how often it happened and where first."""

    line: int
    count: int = 0
    detail: str = ""


@dataclass
class SplitReading:
    """What a kind knows of the split that is being read.

    Attributes:
        labels: that may occur, or None for any.
        file: name of the first file, for the examples.
        notes: message -> how often and where first; told as notices at the end.
    """

    corpus: Corpus
    split: str
    labels: Sequence[str] | None
    file: str
    notes: dict[str, Note] = field(default_factory=dict)

    @property
    def may_lack_answers(self) -> bool:
        """Whether all rows of the split may be without an answer: one to validate on only if placeholders are named."""
        return self.split == "test" or (self.split == "valid" and bool(self.corpus.placeholders))

    def note(self, message: str, line: int, detail: str = "", count: int = 1) -> None:
        self.notes.setdefault(message, Note(line, detail=detail)).count += count


class ItemReader(ABC):
    """Makes the examples of one kind.

    ``read`` gives the examples of a row, mostly one; ``finish`` those that can only be made when all rows are read.
    Both raise DroppedError or RejectedError, ``finish`` only from within its items.
    """

    counted: tuple[str, ...] = ()  # texts in which the file counts characters, so that they may not be joined

    def __init__(self, reading: SplitReading) -> None:
        self.reading = reading
        self.corpus = reading.corpus
        self.known = None if reading.labels is None else frozenset(reading.labels)
        self.usable: set[str] = set()  # labels that were tested
        self.unknowns = 0
        kind = kind_named(reading.corpus.kind)
        self.answers = frozenset(kind.answers)
        self.text_names = kind.text_names(reading.corpus)  # kept, since every row asks for them

    @abstractmethod
    def read(self, row: Row) -> Example | None:
        """The example of a row; None where the row only adds to one that ``finish`` gives.

        Raises:
            RejectedError: the row is at fault.
            DroppedError: the corpora file leaves such rows out.
        """

    def first_text(self, row: Row) -> str:
        """The text of a row that is read, by which it stays in one split with other rows of that text."""
        return self.text(row, kind_named(self.corpus.kind).column_set(self.corpus.columns).needed[0])

    def group(self, row: Row) -> str:
        """What the row that was read last is a part of in its file; empty = of nothing."""
        return row.group

    def begin_file(self) -> None:  # noqa: B027
        """The rows that follow are of the split's next file."""

    def finish(self) -> Iterator[Example | tuple[int, RejectedError]]:
        """The examples that are made of several rows, or (line, fault) of those that cannot be made."""
        return iter(())

    def useless(self, examples: Sequence[Example]) -> str | None:
        """Why a split of these rows, though each is sound, has nothing to train on or to score; None if it has."""
        return None

    def column(self, name: str) -> Column | None:
        """The column with this meaning, None if there is none."""
        column = self.corpus.columns.get(name)
        assert column is None or isinstance(column, str | int)
        return column

    def has(self, row: Row, name: str) -> bool:
        return self.column(name) is not None and self.column(name) in row.values

    def value(self, row: Row, name: str) -> Any:
        """The value of a column, None if the corpus or the row has none, or no answer but its placeholder."""
        column = self.column(name)
        value = None if column is None else row.values.get(column)
        return None if name in self.answers and self.is_placeholder(value, row.line) else value

    def is_placeholder(self, value: Any, line: int) -> bool:
        """Whether a value says that there is no answer; told where the corpora file does not name it."""
        if value is None or isinstance(value, list | dict):
            return False
        if is_named_placeholder(self.corpus, value):
            return True
        mark = usual_placeholder(self.corpus, value) if self.reading.split == "test" else None
        if mark is None or not self.is_no_answer(mark):
            return False
        self.reading.note(PLACEHOLDERS, line, describe_value(value))
        return True

    def is_no_answer(self, mark: str) -> bool:
        """Whether a usual placeholder, as it stands in a test split, can be no answer of the corpus."""
        return self.reading.labels is not None and mark not in self.reading.labels

    def only_placeholders(self, examples: Sequence[Example]) -> bool:
        """Whether every answer of a test split is a placeholder, though each alone might be an answer."""
        return False

    def text(self, row: Row, name: str) -> str:
        """A text, unchanged; of several columns, or of a list of paragraphs, the joined one.

        Raises:
            RejectedError: not a string, or with half a character.
        """
        parts, join = self.text_parts(row, name)
        return join.join(parts)

    def text_parts(self, row: Row, name: str) -> tuple[list[str], str]:
        """The parts of which a text is joined, and what stands between them; mostly one part."""
        field = self.corpus.columns.get(name)
        if isinstance(field, Joined):
            parts = [part for column in field.columns for part in self.paragraphs(row.values.get(column), column, name)]
            return [part for part in parts if part.strip()], field.join
        value, column = self.value(row, name), self.column(name)
        if isinstance(value, list) and name not in self.counted:
            return [part for part in self.paragraphs(value, column, name) if part.strip()], " "
        if looks_listed(value, quoted=True) and parse_list(value) is not None:
            self.reading.note(_LISTED.format(name, column), row.line, shorten(value))
        return [self.checked_text(value, "the text", name, column)], ""

    def paragraphs(self, value: Any, column: Column | None, name: str) -> list[str]:
        """The texts in one of the columns that are joined: one, a list of them, or none."""
        value = self.listed(value, name, quoted=True)
        texts = value if isinstance(value, list) else [value]
        what = "the text" if texts is not value else "a text in the list"
        return [self.checked_text(text, what, name, column) for text in texts if text is not None]

    def listed(self, value: Any, name: str, quoted: bool = False) -> Any:
        """The list that is written in a cell, other values as they are.

        Args:
            value: of the column.
            name: of the field.
            quoted: only what begins with a string is a list: ``looks_listed``.

        Raises:
            RejectedError: the cell looks like a list and is none that can be read.
        """
        if not looks_listed(value, quoted):
            return value
        found = parse_list(value)
        if found is None:
            message = f"the {name} {shorten(value)} looks like a list but cannot be read as one; expected JSON, as"
            message = f"""{message} ["a", "b"], or Python's ['a', 'b'], with commas between"""
            raise RejectedError("unreadable list", message, name)
        return found

    def checked_text(self, value: Any, what: str, name: str, column: Column | None = None) -> str:
        """A value that is text.

        Args:
            value: of the field ``name``.
            what: it is, for messages.
            column: where it stands, for messages.

        Raises:
            RejectedError: it is none.
        """
        if isinstance(value, str) and (value.isascii() or not HALF_SURROGATE.search(value)):
            return value
        where = what if column is None else f"{what} in column {column!r}"
        if not isinstance(value, str):
            raise RejectedError("not text", f"{where} is {describe_value(value)}; expected a string", name)
        message = f"{where} holds half a surrogate pair, which is no character"
        raise RejectedError("half a surrogate pair", message, name)

    def texts(self, row: Row) -> tuple[str, ...]:
        """The texts of an example, by their columns: ``Kind.text_names``."""
        return tuple([self.text(row, name) for name in self.text_names])

    def label(self, row: Row) -> Label:
        """The label of a row as far as it can be read; see ``checked_label``.

        Raises:
            DroppedError: such rows are left out.
            RejectedError: the cell cannot be a label.
        """
        value = self.value(row, "label")
        if value is None:
            return Label("", None)
        raw, problem = read_scalar(value)
        if problem:
            message = f"the label is {problem}; expected {PLAIN_ANSWER}"
            raise RejectedError("unusable label", message, "label")
        raw = raw.strip()
        if looks_listed(raw, quoted=True) and raw not in self.corpus.label_map and parse_list(raw) is not None:
            message = f"the label {shorten(raw)} is a list; expected one label (a label_map can name it)"
            raise RejectedError("unusable label", message, "label")
        return self.mapped(raw)

    def mapped(self, raw: str) -> Label:
        """A label as in the file and after ``label_map``; an empty one is none.

        Raises:
            DroppedError: such rows are left out.
        """
        if not raw:
            return Label(raw, None)
        label = Label(raw, self.corpus.label_map.get(raw, raw))
        if self.corpus.drop_labels and (raw in self.corpus.drop_labels or label.name in self.corpus.drop_labels):
            raise DroppedError(f"dropped label {raw!r}")
        return label

    def checked_label(self, label: Label) -> str | None:
        """The name of a label, None without one in a test split.

        Raises:
            RejectedError: missing, unknown, or no label that can be used.
        """
        if label.name is None:
            if not self.reading.may_lack_answers:
                raise self.missing("label")
            return None
        name = self.usable_name(label.name)
        if self.known is not None and name not in self.known:
            raise self.unknown(label)
        return name

    def usable_name(self, name: str, column: str = "label", line: int | None = None) -> str:
        """The name of a label, if it is one that can be used.

        Raises:
            RejectedError: it is not.
        """
        if name not in self.usable:
            if problem := find_label_problem(name):
                message = f"the {column} {shorten(name)} cannot be used: it {problem}; a label_map can rename it"
                raise RejectedError(f"unusable {column}", message, column, line)
            self.usable.add(name)
        return name

    def missing(self, column: str) -> RejectedError:
        message = f"no {column}; expected {expected_label(self.reading.labels)}"
        return RejectedError(f"missing {column}", message, column)

    def unknown(self, label: Label, column: str = "label", line: int | None = None) -> RejectedError:
        self.unknowns += 1
        mapped = f" (mapped from {shorten(label.raw)})" if label.raw != label.name else ""
        message = f"unknown {column} {shorten(label.name)}{mapped}"
        if self.unknowns <= LISTED + 1:  # what is only counted needs no advice
            advice = self.meant(label.name or "")
            message += advice
            if label.raw in USUAL_PLACEHOLDERS:
                message += f"; placeholders: [{label.raw}] says that it is no answer"
            elif self.reading.split == "test" and "did you mean" not in advice:
                message += f"; where it is no answer, placeholders: [{label.raw!r}] says so"
        return RejectedError(f"unknown {column}", message, column, line, always_a_fault=True)

    def meant(self, name: str) -> str:
        """What to append to an unknown label: the one that was probably meant, as 1 by 1.0, else the known ones."""
        known, number = self.reading.labels or (), parse_finite_number(name)
        same = [one for one in known if number is not None and parse_finite_number(one) == number]
        return nearest(same[0] if same else name, known)


@dataclass(frozen=True)
class Label:
    """A label as in the file, without outer space, and after ``label_map`` (None = there is none)."""

    raw: str
    name: str | None
