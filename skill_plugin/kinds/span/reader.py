"""A question and a context that holds the answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from skill_plugin.errors import counted
from skill_plugin.readers.cell_values import parse_whole_number
from skill_plugin.readers.example import Example
from skill_plugin.readers.item_reader import ItemReader
from skill_plugin.readers.json_values import describe_value
from skill_plugin.readers.left_out import RejectedError
from skill_plugin.readers.offsets import CHARACTERS, Claim, find_character, find_places, guess_unit
from skill_plugin.readers.row import Row, shorten
from skill_plugin.readers.spilled import SpilledList
from skill_plugin.readers.split_reading import SplitReading

NOT_FOUND = -1  # the start of an answer that is nowhere in its context
_REPAIRED = "answers that were not at their offset, but elsewhere in the context (the nearest place is taken)"
_SEVERAL = "answers without an offset that are in several places of their context (the first one is taken)"
_OTHER_UNIT = "offsets of answers that count {} (all of the split are read so)"
_ABSENT = "answers not in their context"
_EMPTY = "answers without text, which are left out"
_NO_ANSWER = "questions whose answers are all without text (taken to have no answer)"
_CONTRADICTED = "questions said to be impossible that have answers all the same, which are left out"
_OUTER = "answers with outer space, which is left out"
_START_KEYS = ("answer_start", "start")
_YES_NO = {"yes": 1, "no": 0}


class WrittenAnswer(NamedTuple):
    """An answer as in the file; ``start`` is None where it is to be looked for."""

    text: str
    start: int | None

    @property
    def stripped(self) -> tuple[str, int | None]:
        """The text without outer space, and its own offset."""
        text = self.text.strip()
        return text, None if self.start is None else self.start + self.text.find(text)


class _Asked(NamedTuple):
    """A question as in the file; ``answers`` is None where they are unknown."""

    line: int
    question: str
    context: str
    answers: list[WrittenAnswer] | None
    id: str


class SpanReader(ItemReader):
    """Answers by offsets in the unchanged context.

    Offsets count characters, or what explains them better (``offsets.guess_unit``), which only all of a split tell. An
    answer whose text is not at its offset is looked for in the context: the nearest place counts, or without an offset
    the first one. If it is nowhere there, train does without it (a question that has no other is left out), while valid
    and test keep its text, to be scored. An answer without text is left out; a question that has no other ones has no
    answer.
    """

    def __init__(self, reading: SplitReading) -> None:
        super().__init__(reading)
        self.asked: SpilledList[_Asked] = SpilledList()
        self.unit = CHARACTERS

    def read(self, row: Row) -> None:
        question, (parts, join) = self.text(row, "question"), self.text_parts(row, "context")
        context = join.join(parts)
        identity = self.id_in(row, "id", "the id") if self.has(row, "id") else ""
        answers = None
        if self.impossible(row):
            answers = []
            if self.has(row, "answers") and any(answer.text.strip() for answer in self.written(row)):
                self.reading.note(_CONTRADICTED, row.line, f"question {identity}" if identity else "")
        elif self.has(row, "answers"):
            answers = self.written(row)
        elif not self.reading.may_lack_answers:
            raise RejectedError("missing answers", "no answers; expected a text or a list of texts", "answers")
        if len(parts) > 1 and any(answer.start is not None for answer in answers or ()):
            message = f"the context is joined of {len(parts)} parts, in which the offset of an answer has no meaning;"
            message += " give only the texts of the answers, as {answers: answers.text}"
            raise RejectedError("offsets in a joined context", message, "answers")
        self.asked.append(_Asked(row.line, question, context, answers, identity))

    def first_text(self, row: Row) -> str:
        return self.text(row, "context")

    def finish(self) -> Iterator[Example | tuple[int, RejectedError]]:
        self.unit = guess_unit(
            Claim(asked.context, start, text)
            for asked in self.asked
            for text, start in (answer.stripped for answer in asked.answers or ())
            if text and start is not None
        )
        for asked in self.asked:
            try:
                answer = None if asked.answers is None else self.found(asked, asked.answers)
            except RejectedError as error:
                yield asked.line, error
                continue
            yield Example((asked.question, asked.context), answer, self.reading.file, asked.line, id=asked.id)

    def found(self, asked: _Asked, answers: list[WrittenAnswer]) -> tuple[tuple[int, str], ...]:
        """The answers of a question with their places."""
        usable = [answer for answer in answers if answer.text.strip()]
        if len(usable) < len(answers):
            which = f"question {asked.id}" if asked.id else ""
            if not usable:
                self.reading.note(_NO_ANSWER, asked.line, which)
            else:
                self.reading.note(_EMPTY, asked.line, which, len(answers) - len(usable))
        places = [self.place(answer, asked) for answer in usable]
        kept = [place for place in places if place[0] != NOT_FOUND or self.reading.split != "train"]
        if usable and not kept:
            message = f"the answer {shorten(usable[0].text)} is not in its context"
            raise RejectedError("answer not in its context", message, "answers", quiet=True)
        return tuple(dict.fromkeys(kept))

    def place(self, answer: WrittenAnswer, asked: _Asked) -> tuple[int, str]:
        """Where the answer stands, without outer space."""
        text, start = answer.stripped
        detail = f"{shorten(text)}{f' of question {asked.id}' if asked.id else ''}"
        if text != answer.text:
            self.reading.note(_OUTER, asked.line, detail)
        at = None if start is None else find_character(asked.context, start, self.unit)
        if at is not None and asked.context.startswith(text, at):
            if at != start:
                self.reading.note(_OTHER_UNIT.format(self.unit), asked.line, detail)
            return at, text
        near = at if at is not None else start or 0
        places = list(find_places(text, asked.context))
        if not places:
            self.reading.note(_ABSENT, asked.line, detail)
        elif start is not None:
            self.reading.note(_REPAIRED, asked.line, detail)
        elif len(places) > 1:
            self.reading.note(_SEVERAL, asked.line, detail)
        return min(places, key=lambda place: abs(place - near), default=NOT_FOUND), text

    def impossible(self, row: Row) -> bool:
        """Whether the file says that there is no answer, in one of the ways in which that is written."""
        value = self.value(row, "is_impossible")
        if value is None or (isinstance(value, str) and not value.strip()):
            return False
        number = _YES_NO.get(value.strip().lower()) if isinstance(value, str) else None
        number = parse_whole_number(value) if number is None else number
        if number not in (0, 1):
            message = f"is_impossible is {describe_value(value)}; expected true or false"
            raise RejectedError("unusable is_impossible", message, "is_impossible")
        return bool(number)

    def written(self, row: Row) -> list[WrittenAnswer]:
        """The answers as in the file: texts, objects with text and start, or an object with lists of both."""
        value = self.listed(self.value(row, "answers"), "answers", quoted=True)
        starts = self.listed(self.value(row, "answer_start"), "answer_start")
        if isinstance(value, dict):
            starts = next((value[key] for key in _START_KEYS if key in value), starts)
            value = value.get("text")
        if value is None or value == "":
            return []
        texts = value if isinstance(value, list) else [value]
        places = starts if isinstance(starts, list) else [starts] * (len(texts) if starts is None else 1)
        if len(places) != len(texts):
            found = f"{counted(len(texts), 'answer')} but {counted(len(places), 'offset')}"
            message = f"{found}; expected one offset an answer"
            raise RejectedError("unusable answers", message, "answer_start")
        return [self.one(text, start) for text, start in zip(texts, places, strict=True)]

    def one(self, text: Any, start: Any) -> WrittenAnswer:
        """An answer as written, and where it says that it begins."""
        if isinstance(text, dict):
            start = next((text[key] for key in _START_KEYS if key in text), start)
            text = text.get("text")
        text = self.checked_text(text, "an answer", "answers")
        place = parse_whole_number(start)
        if start is not None and place is None:
            message = (
                f"the offset of the answer {shorten(text)} is {describe_value(start)}; expected a whole number from 0"
            )
            raise RejectedError("unusable answers", message, "answer_start")
        return WrittenAnswer(text, place)
