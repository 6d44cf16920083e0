"""How many answers questions have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from skill_plugin.checking.contents import Contents
from skill_plugin.kinds.span.reader import NOT_FOUND
from skill_plugin.readers import Example


@dataclass(frozen=True)
class Questions(Contents):
    """Questions and their answers.

    Attributes:
        answered: questions with one answer or more.
        without_answer: questions that are known to have none.
        answers: of all questions.
        not_in_context: answers that are nowhere in their context, and only scored.
    """

    answered: int
    without_answer: int
    answers: int
    not_in_context: int

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Questions:
        known = [cast("tuple[tuple[int, str], ...]", e.answer) for e in examples if e.answer is not None]
        starts = [start for answers in known for start, _ in answers]
        return cls(sum(map(bool, known)), known.count(()), len(starts), starts.count(NOT_FOUND))

    def summary(self) -> str:
        if not self.answered and not self.without_answer:
            return ""
        found = f"{self.answered:,} answered"
        return found + (f", {self.without_answer:,} without answer" if self.without_answer else "")
