"""What ``check`` says of questions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from skill_plugin.checking.row_findings import RowFindings
from skill_plugin.kinds.span.contents import Questions
from skill_plugin.readers import Example


class SpanFindings(RowFindings):
    """Two answers may both be right, but not an answer and none."""

    row = "question"
    rows = "questions"
    conflict = "are asked before, and have an answer at one place and none at the other"
    accepts_others = True

    def contents(self, examples: Sequence[Example], labels: Sequence[str]) -> Questions:
        return Questions.of(examples)

    def claims(self, example: Example) -> Sequence[tuple[Hashable, Hashable]]:
        answer = frozenset(example.answer) if isinstance(example.answer, tuple) else example.answer
        return [(example.texts, answer)]

    def stance(self, answer: Hashable) -> Hashable:
        return bool(answer)
