"""Answers of span that no prediction can be: longer than one may be, or in no window as a whole.

Axis: A accepted answers of all questions.
"""

from __future__ import annotations

import numpy as np

from skill_plugin.errors import counted
from skill_plugin.kinds.span.keys import SpanKeys
from skill_plugin.kinds.span.sequences import QuestionAndContext
from skill_plugin.readers.example import Example, Fault
from skill_plugin.readers.example_rows import ExampleBlock
from skill_plugin.store.answer_reach import AnswerReach
from skill_plugin.store.encoded_block import EncodedBlock
from skill_plugin.text.sequences.row_sizes import RowSizes


class SpanReach(AnswerReach):
    """Answers of more than ``max_answer`` tokens are long.

    Args:
        rule: into which windows contexts are divided.
    """

    def __init__(self, rule: QuestionAndContext) -> None:
        super().__init__()
        self.rule = rule
        self.longest = SpanKeys.of(rule.corpus).max_answer
        self._first: dict[str, Example] = {}

    def count(self, examples: ExampleBlock, encoded: EncodedBlock, sizes: RowSizes) -> None:
        answers = encoded.arrays["answer"]
        questions = np.repeat(np.arange(len(examples)), answers.lengths // 2)
        windows = self.rule.windows(sizes)
        first, last = answers.flat.astype(np.int64).reshape(-1, 2).T
        # Of the windows that do not begin behind an answer's first token the last one reaches farthest.
        far = int(sizes.texts.max(initial=0)) + 1
        begins = np.repeat(np.arange(len(sizes)), windows.counts) * far + windows.starts
        reached = windows.ends[np.searchsorted(begins, questions * far + first, side="right") - 1]
        long = last - first >= self.longest
        divided = ~long & (last >= reached)
        self.long += int(long.sum())
        self.divided += int(divided.sum())
        for which, missed in (("long", long), ("divided", divided)):
            if missed.any():
                self._first.setdefault(which, examples.example(int(questions[missed.argmax()])))

    def notices(self) -> list[Fault]:
        said = {
            "long": f"{counted(self.long, 'answer')} longer than max_answer ({self.longest}), "
            "so that no prediction can be right",
            "divided": f"{counted(self.divided, 'answer')} that no window holds as a whole (a smaller stride or a "
            "larger max_length does)",
        }
        return [
            Fault(example.file, example.line, f"{said[which]}, the first one here")
            for which, example in self._first.items()
        ]
