"""One to three texts and any number of labels."""

from __future__ import annotations

from skill_plugin.readers.example import Example
from skill_plugin.readers.json_values import describe
from skill_plugin.readers.kinds.cell_values import listed, scalar
from skill_plugin.readers.kinds.item_reader import PLAIN_ANSWER, ItemReader, RejectedError
from skill_plugin.readers.row import Row

_REPEATED = "rows that name a label twice, which counts once"


class MultilabelReader(ItemReader):
    """Labels are a JSON list, or the parts of a string between ``label_separator``; none is an answer too."""

    def read(self, row: Row) -> Example:
        labels = self.labels(row)
        texts = self.texts(row)
        if labels is None and not self.reading.may_lack_answers:
            raise self.missing("label")
        return Example(texts, labels, self.reading.file, row.line)

    def labels(self, row: Row) -> tuple[str, ...] | None:
        value = listed(self.value(row, "label"))
        if value is None:
            return None
        if isinstance(value, str):
            value = value.strip().split(self.corpus.label_separator)
        names: list[str] = []
        for item in value if isinstance(value, list) else [value]:
            raw, problem = scalar(item)
            if problem:
                message = f"a label is {problem}; expected {PLAIN_ANSWER} or a list of them"
                raise RejectedError("unusable label", message, "label")
            label = self.mapped(raw.strip())
            if label.name is None:
                continue
            names.append(self.usable_name(label.name))
            if self.known is not None and label.name not in self.known:
                raise self.unknown(label)
        unique = tuple(dict.fromkeys(names))
        if len(unique) < len(names):
            self.reading.note(_REPEATED, row.line, describe(names[0]))
        return unique
