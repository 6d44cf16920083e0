"""One to three texts and any number of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skill_plugin.kinds.multilabel.keys import MultilabelKeys
from skill_plugin.readers.cell_values import parse_whole_number, read_scalar
from skill_plugin.readers.example import Example
from skill_plugin.readers.item_reader import PLAIN_ANSWER, ItemReader, Label
from skill_plugin.readers.json_values import describe_value
from skill_plugin.readers.left_out import RejectedError
from skill_plugin.readers.row import Row, shorten
from skill_plugin.spec.columns import Flags

_REPEATED = "rows that name a label twice, which counts once"


class MultilabelReader(ItemReader):
    """Labels are a list, in a cell as JSON or Python write it, or the parts of a string between ``label_separator``, or
    those whose columns hold 1; none is an answer too.
    """

    def read(self, row: Row) -> Example:
        labels = self.labels(row)
        texts = self.texts(row)
        if labels is None and not self.reading.may_lack_answers:
            raise self.missing_label()
        return Example(texts, labels, self.reading.file, row.line)

    def labels(self, row: Row) -> tuple[str, ...] | None:
        field = self.corpus.columns.get("label")
        if isinstance(field, Flags):
            return self.flagged(row, field)
        value = self.listed(self.value(row, "label"), "label")
        if value is None:
            return None
        if isinstance(value, str):
            value = value.strip().split(MultilabelKeys.of(self.corpus).label_separator)
        names = [self.one(item) for item in (value if isinstance(value, list) else [value])]
        if isinstance(value, list) and _one_for_each(value):
            message = f"the labels are {shorten(value)}, a 0 or 1 for each label; expected the labels' names, or"
            message += " a column for each: columns: {label: {NAME: COLUMN, …}} (in JSON also {NAME: labels.0, …})"
            raise RejectedError("a list of 0 and 1", message, "label")
        return self.known_ones([label for label in names if label.name is not None], row)

    def one(self, value: Any) -> Label:
        """A label as written, mapped."""
        raw, problem = read_scalar(value)
        if problem:
            message = f"a label is {problem}; expected {PLAIN_ANSWER} or a list of them"
            raise RejectedError("unusable label", message, "label")
        return self.mapped(raw.strip())

    def flagged(self, row: Row, flags: Flags) -> tuple[str, ...] | None:
        """The labels whose columns hold 1; None where all are blank."""
        cells = {label: row.values.get(column) for label, column in flags.columns.items()}
        if all(_blank(cell) or self.is_placeholder(cell, row.line) for cell in cells.values()):
            return None
        names = []
        for label, cell in cells.items():
            flag = parse_whole_number(cell)
            if flag not in (0, 1):
                shown = "empty" if _blank(cell) else describe_value(cell)
                message = f"the column {flags.columns[label]!r} of the label {label!r} is {shown}; expected 0 or 1"
                raise RejectedError("unusable label", message, "label")
            if flag:
                names.append(self.mapped(label))
        return self.known_ones(names, row)

    def known_ones(self, labels: Sequence[Label], row: Row) -> tuple[str, ...]:
        """Their names, each once.

        Raises:
            RejectedError: one is unknown, or cannot be used.
        """
        names = []
        for label in labels:
            names.append(self.usable_name(label.name or ""))
            if self.known is not None and label.name not in self.known:
                raise self.unknown(label)
        unique = tuple(dict.fromkeys(names))
        if len(unique) < len(names):
            self.reading.note(_REPEATED, row.line, describe_value(names[0]))
        return unique


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _one_for_each(values: Sequence[Any]) -> bool:
    """Whether these are no labels but a 0 or 1 for each: labels would not come twice."""
    numbers = [value if isinstance(value, int) else str(value).strip() for value in values]
    return len(set(numbers)) < len(numbers) and all(number in (0, 1, "0", "1") for number in numbers)
