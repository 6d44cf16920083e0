"""Answers of span that no prediction can be: longer than one may be, or in no window as a whole.

Axis: A accepted answers of a question.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from skill_plugin.readers.example import Example, Fault
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.windows import windows


def question_and_windows(
    corpus: Corpus, question: int, context: int, room: int
) -> tuple[int, Sequence[tuple[int, int]]]:
    """How many of its tokens a question keeps, and the windows of its context.

    Args:
        corpus: of the kind span.
        question, context: their tokens.
        room: tokens of the longest sequence without special ones, at least 1. A question keeps ``max_question`` and
            leaves the context at least half.
    """
    kept = min(question, corpus.max_question, room // 2)
    stride = None if corpus.stride is None else min(corpus.stride, room - kept)
    return kept, windows(context, room - kept, stride)


class AnswerReach:
    """Counts the answers of a split that no prediction can be.

    Args:
        corpus: of the kind span.
        room: as for ``question_and_windows``.

    Attributes:
        long: answers of more than ``max_answer`` tokens.
        divided: others that are in no window as a whole.
    """

    def __init__(self, corpus: Corpus, room: int) -> None:
        self.corpus, self.room = corpus, room
        self.long = self.divided = 0
        self._first: dict[str, Example] = {}

    def count(self, example: Example, question: int, context: int, answers: npt.NDArray[np.int32]) -> None:
        """Looks at one question.

        Args:
            example: itself.
            question, context: tokens of its texts.
            answers: first and last token in the context of each answer [2A].
        """
        _, divided = question_and_windows(self.corpus, question, context, self.room)
        for first, last in answers.reshape(-1, 2).tolist():
            if last - first >= self.corpus.max_answer:
                self.long += 1
                self._first.setdefault("long", example)
            elif not any(start <= first and last < end for start, end in divided):
                self.divided += 1
                self._first.setdefault("divided", example)

    def notices(self) -> list[Fault]:
        """What is to be told, each with the place of the first such answer."""
        longest = self.corpus.max_answer
        said = {
            "long": f"{self.long:,} answers longer than max_answer ({longest}), so that no prediction can be right",
            "divided": f"{self.divided:,} answers that no window holds as a whole (a smaller stride or a larger "
            "max_length does)",
        }
        return [
            Fault(example.file, example.line, f"{said[which]}, the first one here")
            for which, example in self._first.items()
        ]
