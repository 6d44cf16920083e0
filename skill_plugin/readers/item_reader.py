"""Makes examples of rows: what the readers of all kinds share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
from skill_plugin.readers.example import Answer, Example
from skill_plugin.readers.json_values import describe_value
from skill_plugin.readers.left_out import DroppedError, RejectedError
from skill_plugin.readers.placeholders import USUAL_PLACEHOLDERS, is_named_placeholder, usual_placeholder
from skill_plugin.readers.row import Row, RowRun, shorten
from skill_plugin.readers.split_reading import SplitReading
from skill_plugin.readers.text_columns import TextColumns
from skill_plugin.spec.columns import Column, Joined
from skill_plugin.spec.labels import find_label_problem

PLACEHOLDERS = "values that are no answer but stand where one would be"
_LISTED = "texts that are lists as they are written in a cell ({0}: {{columns: {1}}} joins their parts)"
PLAIN_ANSWER = "a string or a whole number"
LISTED = 20  # so many faults of one reason are listed: a wrong separator should not print a million lines
# characters with which a cell begins that may be written as a list: brackets, or spaces before them
_MAY_LIST = frozenset("([{" + "".join(chr(code) for code in range(0x10000) if chr(code).isspace()))


class OrdinaryRows(NamedTuple):
    """What is read of a run of rows.

    Attributes:
        texts, answers: of each row; of odd rows anything.
        odd: the numbers of the rows that are not read, in order.
    """

    texts: TextColumns
    answers: list[Answer | None]
    odd: list[int]


class ItemReader(ABC):
    """Makes the examples of one kind.

    ``read`` gives the example of a row. ``finish`` gives the examples that can only be made when all rows are read.
    """

    counted: tuple[str, ...] = ()  # texts whose characters the file counts, so that they cannot be joined

    def __init__(self, reading: SplitReading) -> None:
        self.reading = reading
        self.corpus = reading.corpus
        self.known = None if reading.labels is None else frozenset(reading.labels)
        self.usable: set[str] = set()  # labels that were found usable
        self.unknowns = 0
        kind = kind_named(reading.corpus.kind)
        self.answers = frozenset(kind.answers)
        self.text_names = kind.text_names(reading.corpus)  # kept, since every row asks for them

    @abstractmethod
    def read(self, row: Row) -> Example | None:
        """The example of a row; None if the row is a part of an example that ``finish`` gives.

        Raises:
            RejectedError: the row is at fault.
            DroppedError: the corpora file asks to leave such rows out.
        """

    def read_ordinary(self, run: RowRun) -> OrdinaryRows | None:
        """Reads those rows of a run of which nothing has to be told, which takes a tenth of the time of ``read``.

        Returns:
            The rows; None if ``read`` has to read all of them.
        """
        return None

    def ordinary_texts(self, run: RowRun) -> tuple[TextColumns, set[int]] | None:
        """The texts of a run's rows, and the numbers of rows that may be anything but texts; None if all may be."""
        columns, odd = [], set[int]()
        for name in self.text_names:
            column = self.corpus.columns.get(name)
            if not isinstance(column, str | int) or column not in run.columns:
                return None
            values = run.columns[column]
            columns.append(values)
            if not run.first_characters(column).isdisjoint(_MAY_LIST):
                odd.update(number for number, value in enumerate(values) if value[:1] in _MAY_LIST)
        return TextColumns(columns), odd

    def first_text(self, row: Row) -> str:
        """The first text of a row. Rows with the same first text stay in one split."""
        return self.text(row, kind_named(self.corpus.kind).column_set(self.corpus.columns).needed[0])

    def group(self, row: Row) -> str:
        """The article or document of the row that was read last; empty if it is a part of none."""
        return row.group

    def begin_file(self) -> None:  # noqa: B027
        """Called before the rows of each of the split's files."""

    def finish(self) -> Iterator[Example | tuple[int, RejectedError]]:
        """The examples that are made of several rows; (line, error) for each that cannot be made."""
        return iter(())

    def useless(self, examples: Sequence[Example]) -> str | None:
        """Why a split of these examples has nothing to train on or score, though each is sound; None if it has."""
        return None

    def column(self, name: str) -> Column | None:
        """The column with this meaning; None if there is none."""
        column = self.corpus.columns.get(name)
        assert column is None or isinstance(column, str | int)
        return column

    def has(self, row: Row, name: str) -> bool:
        return self.column(name) is not None and self.column(name) in row.values

    def value(self, row: Row, name: str) -> Any:
        """The value of a column; None if the corpus or the row lacks it, or if it is a placeholder for an answer."""
        column = self.column(name)
        value = None if column is None else row.values.get(column)
        return None if name in self.answers and self.is_placeholder(value, row.line) else value

    def is_placeholder(self, value: Any, line: int) -> bool:
        """Whether a value says that there is no answer. A notice tells of it if the corpora file does not name it."""
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
        """Whether a usual placeholder cannot be an answer of this corpus."""
        return self.reading.labels is not None and mark not in self.reading.labels

    def only_placeholders(self, examples: Sequence[Example]) -> bool:
        """Whether all answers of a test split are placeholders, although each alone might be an answer."""
        return False

    def text(self, row: Row, name: str) -> str:
        """A text, unchanged; several columns, or a list of paragraphs, are joined.

        Raises:
            RejectedError: a value is not a string, or holds half a surrogate pair.
        """
        parts, join = self.text_parts(row, name)
        return join.join(parts)

    def text_parts(self, row: Row, name: str) -> tuple[list[str], str]:
        """The parts of a text, mostly one, and the string that joins them."""
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
        """The texts in one of several columns that are joined: a value may be one text, a list of texts, or missing."""
        value = self.listed(value, name, quoted=True)
        texts = value if isinstance(value, list) else [value]
        what = "the text" if texts is not value else "a text in the list"
        return [self.checked_text(text, what, name, column) for text in texts if text is not None]

    def listed(self, value: Any, name: str, quoted: bool = False) -> Any:
        """The list that is written in a cell; other values stay as they are.

        Args:
            value: the value of the column.
            name: the name of the field.
            quoted: as for ``looks_listed``.

        Raises:
            RejectedError: the cell looks like a list, but cannot be read as one.
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
        """Checks that a value is text.

        Args:
            value: a value of the field ``name``.
            what: what the value is called in messages.
            name: the name of the field.
            column: the column that it is from, for messages.

        Raises:
            RejectedError: it is not a string, or holds half a surrogate pair.
        """
        if isinstance(value, str) and (value.isascii() or not HALF_SURROGATE.search(value)):
            return value
        where = what if column is None else f"{what} in column {column!r}"
        if not isinstance(value, str):
            raise RejectedError("not text", f"{where} is {describe_value(value)}; expected a string", name)
        message = f"{where} holds half a surrogate pair, which is no character"
        raise RejectedError("half a surrogate pair", message, name)

    def id_in(self, row: Row, name: str, what: str, otherwise: str = "") -> str:
        """The id in a column, as it is written.

        Args:
            row: the row.
            name: the name of the field.
            what: what the id is called in messages.
            otherwise: what else may stand there, for messages.

        Raises:
            RejectedError: it is neither a string nor a whole number.
        """
        identity, problem = read_scalar(self.value(row, name))
        if problem:
            raise RejectedError("unusable id", f"{what} is {problem}; expected {PLAIN_ANSWER}{otherwise}", name)
        return identity

    def texts(self, row: Row) -> tuple[str, ...]:
        """The texts of an example, in the order of ``Kind.text_names``."""
        return tuple([self.text(row, name) for name in self.text_names])

    def label(self, row: Row) -> Label:
        """The label of a row, not yet compared with the labels of the corpus; see ``checked_label``.

        Raises:
            DroppedError: the corpora file drops rows with this label.
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
        """Applies ``label_map`` to a label of the file; an empty one is no label.

        Raises:
            DroppedError: the corpora file drops rows with this label.
        """
        if not raw:
            return Label(raw, None)
        label = Label(raw, self.corpus.label_map.get(raw, raw))
        if self.corpus.drop_labels and (raw in self.corpus.drop_labels or label.name in self.corpus.drop_labels):
            raise DroppedError(f"dropped label {raw!r}")
        return label

    def checked_label(self, label: Label) -> str | None:
        """The name of a label; None if there is none in a test split.

        Raises:
            RejectedError: the label is missing, unknown, or cannot be used.
        """
        if label.name is None:
            if not self.reading.may_lack_answers:
                raise self.missing_label()
            return None
        name = self.usable_name(label.name)
        if self.known is not None and name not in self.known:
            raise self.unknown(label)
        return name

    def usable_name(self, name: str, column: str = "label", line: int | None = None) -> str:
        """The name of a label, after a check that it can be used.

        Raises:
            RejectedError: it cannot.
        """
        if name not in self.usable:
            if problem := find_label_problem(name):
                message = f"the {column} {shorten(name)} cannot be used: it {problem}; a label_map can rename it"
                raise RejectedError(f"unusable {column}", message, column, line)
            self.usable.add(name)
        return name

    def missing_label(self) -> RejectedError:
        """A row without a label where there must be one."""
        return RejectedError("missing label", f"no label; expected {expected_label(self.reading.labels)}", "label")

    def unknown(self, label: Label, column: str = "label", line: int | None = None) -> RejectedError:
        """A row with a label that the corpus does not have: a fault even where bad rows are skipped."""
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
        """What to append to a message about an unknown label: the label that was probably meant, such as 1 for 1.0."""
        known, number = self.reading.labels or (), parse_finite_number(name)
        same = [one for one in known if number is not None and parse_finite_number(one) == number]
        return nearest(same[0] if same else name, known)


@dataclass(frozen=True)
class Label:
    """A label.

    Attributes:
        raw: the label as in the file, without the spaces around it.
        name: the label after ``label_map``; None if there is none.
    """

    raw: str
    name: str | None
