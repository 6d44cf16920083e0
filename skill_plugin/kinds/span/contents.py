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
        answered = without = answers = absent = 0
        for example in examples:
            known = cast("tuple[tuple[int, str], ...] | None", example.answer)
            answered, without = answered + bool(known), without + (known == ())
            answers += len(known or ())
            absent += sum(start == NOT_FOUND for start, _ in known or ())
        return cls(answered, without, answers, absent)

    def summary(self) -> str:
        if not self.answered and not self.without_answer:
            return ""
        found = f"{self.answered:,} answered"
        return found + (f", {self.without_answer:,} without answer" if self.without_answer else "")
