"""Answers of span that no prediction can be: longer than one may be, or in no window as a whole.

Axes: n questions, A accepted answers of a question.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from skill_plugin.kinds.span.sequences import QuestionAndContext
from skill_plugin.readers.example import Example, Fault
from skill_plugin.text.sequences.row_sizes import RowSizes


class AnswerReach:
    """Counts the answers of a split that no prediction can be.

    Args:
        rule: into which windows contexts are divided.

    Attributes:
        long: answers of more than ``max_answer`` tokens.
        divided: others that are in no window as a whole.
    """

    def __init__(self, rule: QuestionAndContext) -> None:
        self.rule = rule
        self.long = self.divided = 0
        self._first: dict[str, Example] = {}

    def count(self, examples: Sequence[Example], sizes: RowSizes, answers: Sequence[npt.NDArray[np.int32]]) -> None:
        """Looks at some questions.

        Args:
            examples: themselves [n].
            sizes: tokens of their texts.
            answers: of each, first and last token in the context of each answer [2A].
        """
        windows = self.rule.windows(sizes)
        rows = np.repeat(np.arange(len(examples)), [len(one) // 2 for one in answers])
        first, last = np.concatenate([np.zeros(0, np.int64), *answers]).astype(np.int64).reshape(-1, 2).T
        # Of the windows that do not begin behind an answer's first token the last one reaches farthest.
        far = int(sizes.texts.max(initial=0)) + 1
        begins = np.repeat(np.arange(len(sizes)), windows.counts) * far + windows.starts
        reached = windows.ends[np.searchsorted(begins, rows * far + first, side="right") - 1]
        long = last - first >= self.rule.corpus.max_answer
        divided = ~long & (last >= reached)
        self.long += int(long.sum())
        self.divided += int(divided.sum())
        for which, missed in (("long", long), ("divided", divided)):
            if missed.any():
                self._first.setdefault(which, examples[int(rows[missed.argmax()])])

    def notices(self) -> list[Fault]:
        """What is to be told, each with the place of the first such answer."""
        longest = self.rule.corpus.max_answer
        said = {
            "long": f"{self.long:,} answers longer than max_answer ({longest}), so that no prediction can be right",
            "divided": f"{self.divided:,} answers that no window holds as a whole (a smaller stride or a larger "
            "max_length does)",
        }
        return [
            Fault(example.file, example.line, f"{said[which]}, the first one here")
            for which, example in self._first.items()
        ]
