"""The items of a kind whose answers a text-to-text model writes, token by token, as it likes (``--decode greedy``).

Axes: U sequences of a row, one or several, M tokens that were written at most, C answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from skill_plugin.kinds.items import CorpusReading, Told
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.vocabulary import SPECIALS
from skill_plugin.text_to_text.items import TextToTextItems
from skill_plugin.text_to_text.written_prediction import WrittenPrediction

NEVER = -1e4  # logit of an answer that was not given: its probability is 0


class WrittenItems(TextToTextItems):
    """Outputs are the ids that were written [U, M], -1 behind their end.

    A text is the answer whose text it is, with probability 1. What is no answer's text counts as wrong: as none of the
    classes, and of candidates as the last.
    """

    def __init__(self, reading: CorpusReading) -> None:
        super().__init__(reading)
        self.most_written = max(map(len, self.answers))  # with </s>, without which a text goes on and is another
        self._by_ids = {tuple(answer[:-1].tolist()): number for number, answer in enumerate(self.answers)}
        texts = [_spaced(self.text_of(ids)) for ids in self._by_ids]
        self._by_text = {text: number for number, text in enumerate(texts) if texts.count(text) == 1}

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> WrittenPrediction:
        written = _ids(outputs)
        answers = [self.answer_of(ids) for ids in written]
        unreadable = answers.count(None)
        said = None
        if unreadable < len(answers):
            said = self._inner.predict(self._logits(answers), row, sequences, example)
        return WrittenPrediction(said, [self.text_of(ids) for ids in written], unreadable)

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[Any, Any]:
        answers = [self.answer_of(ids) for ids in _ids(outputs)]
        answer, right = self._inner.score(self._logits(answers), row, sequences, example)
        # an answer that is one of the classes is the only one of its row
        return (len(self.answers) if isinstance(answer, int) and answers[0] is None else answer), right

    def tell(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Told:
        written = _ids(outputs)
        answers = [self.answer_of(ids) for ids in written]
        told = self._inner.tell(self._logits(answers), row, sequences, example)
        wrong = told.wrong or None in answers
        return Told(" | ".join(map(self.text_of, written)), told.right, wrong)

    def unreadable(self, outputs: Tensor) -> int:
        """How many texts [U, M] are no answer."""
        return sum(self.answer_of(ids) is None for ids in _ids(outputs))

    def text_of(self, ids: tuple[int, ...]) -> str:
        """What was written."""
        return self.reading.encoder.spell(ids)

    def answer_of(self, ids: tuple[int, ...]) -> int | None:
        """The answer with this text, whichever pieces it is written in, and with how many spaces; None where there is
        none."""
        found = self._by_ids.get(ids)
        if found is None and all(i >= len(SPECIALS) for i in ids):
            found = self._by_text.get(_spaced(self.text_of(ids)))
        return found

    def _logits(self, answers: Sequence[int | None]) -> Tensor:
        """What a head would have given for these answers [U, C]; numbers that are none for what is no answer."""
        logits = torch.full((len(answers), len(self.answers)), NEVER)
        for own, answer in zip(logits, answers, strict=True):
            if answer is None:
                own.fill_(torch.nan)
            else:
                own[answer] = 0.0
        return logits


def _spaced(text: str) -> str:
    """With one space between words, as mT5 reads it."""
    return " ".join(text.split())


def _ids(outputs: Tensor) -> list[tuple[int, ...]]:
    """The ids of each text."""
    return [tuple(i for i in row if i >= 0) for row in outputs.long().tolist()]
