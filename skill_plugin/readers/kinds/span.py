"""A question and a context that holds the answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from skill_plugin.readers.example import Example
from skill_plugin.readers.json_values import describe
from skill_plugin.readers.kinds.cell_values import listed, scalar, whole_number
from skill_plugin.readers.kinds.item_reader import ItemReader, RejectedError
from skill_plugin.readers.row import Row, shorten

NOT_FOUND = -1  # the start of an answer that is nowhere in its context
_REPAIRED = "answers that were not at their offset, but elsewhere in the context (the nearest place is taken)"
_ABSENT = "answers not in their context"
_EMPTY = "answers without text, which are left out"
_OUTER = "answers with outer space, which is left out"
_START_KEYS = ("answer_start", "start")


class Written(NamedTuple):
    """An answer as in the file; ``start`` is None where it is to be looked for."""

    text: str
    start: int | None


class SpanReader(ItemReader):
    """Answers by character offsets in the unchanged context.

    An answer whose text is not at its offset is looked for in the context. If it is nowhere there, train does without
    it (a question that has no other is left out), while valid and test keep its text, to be scored. An answer without
    text is left out everywhere.
    """

    def read(self, row: Row) -> Example:
        question, context = self.text(row, "question"), self.text(row, "context")
        identity, problem = scalar(self.value(row, "id") if self.has(row, "id") else "")
        if problem:
            message = f"the id is {describe(self.value(row, 'id'))}; expected a string or a whole number"
            raise RejectedError("unusable id", message, "id")
        answer = self.answer(row, context, identity)
        return Example((question, context), answer, self.reading.file, row.line, id=identity)

    def answer(self, row: Row, context: str, identity: str) -> tuple[tuple[int, str], ...] | None:
        if not self.has(row, "answers"):
            if self.reading.split != "test":
                raise RejectedError("missing answers", "no answers; expected a text or a list of texts", "answers")
            return None
        written = self.written(row)
        usable = [answer for answer in written if answer.text.strip()]
        if len(usable) < len(written):
            self.reading.note(_EMPTY, row.line, f"question {identity}", len(written) - len(usable))
            if not usable:
                raise RejectedError("answer without text", "all answers are without text", "answers", quiet=True)
        found: list[tuple[int, str]] = []
        for answer in usable:
            place = self.place(answer, context, row, identity)
            if place[0] != NOT_FOUND or self.reading.split != "train":
                found.append(place)
        if usable and not found:
            message = f"the answer {shorten(usable[0].text)} is not in its context"
            raise RejectedError("answer not in its context", message, "answers", quiet=True)
        return tuple(dict.fromkeys(found))

    def place(self, answer: Written, context: str, row: Row, identity: str) -> tuple[int, str]:
        """Where the answer stands, without outer space."""
        text = answer.text.strip()
        detail = f"{shorten(text)}{f' of question {identity}' if identity else ''}"
        if text != answer.text:
            self.reading.note(_OUTER, row.line, detail)
        start = answer.start
        if start is not None:
            start += len(answer.text) - len(answer.text.lstrip())
            if start >= 0 and context.startswith(text, start):
                return start, text
        nearest = min(_occurrences(text, context), key=lambda place: abs(place - (start or 0)), default=NOT_FOUND)
        if nearest == NOT_FOUND:
            self.reading.note(_ABSENT, row.line, detail)
        elif start is not None:
            self.reading.note(_REPAIRED, row.line, detail)
        return nearest, text

    def written(self, row: Row) -> list[Written]:
        """The answers as in the file: texts, objects with text and start, or an object with lists of both."""
        value = _answers(self.value(row, "answers"))
        starts = listed(self.value(row, "answer_start"))
        if isinstance(value, dict):
            starts = next((value[key] for key in _START_KEYS if key in value), starts)
            value = value.get("text")
        if value is None or value == "":
            return []
        texts = value if isinstance(value, list) else [value]
        places = starts if isinstance(starts, list) else [starts] * (len(texts) if starts is None else 1)
        if len(places) != len(texts):
            message = f"{len(texts)} answers but {len(places)} offsets; expected one offset an answer"
            raise RejectedError("unusable answers", message, "answer_start")
        return [self.one(text, start) for text, start in zip(texts, places, strict=True)]

    def one(self, text: Any, start: Any) -> Written:
        if isinstance(text, dict):
            start = next((text[key] for key in _START_KEYS if key in text), start)
            text = text.get("text")
        text = self.checked_text(text, "an answer", "answers")
        place = whole_number(start)
        if start is not None and place is None:
            message = f"the offset of the answer {shorten(text)} is {describe(start)}; expected a whole number from 0"
            raise RejectedError("unusable answers", message, "answer_start")
        return Written(text, place)


def _answers(value: Any) -> Any:
    """The answers, from JSON in a cell too, unless it is a text in brackets such as ``[1]``."""
    found = listed(value)
    plain = isinstance(found, list) and all(isinstance(item, str | dict) for item in found)
    return found if plain or not isinstance(value, str) else value


def _occurrences(text: str, context: str) -> Iterator[int]:
    place = context.find(text)
    while place >= 0:
        yield place
        place = context.find(text, place + 1)
