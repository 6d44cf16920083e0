"""The items of a kind with text in and text out.

What the rows are, how they are cut and what an answer means stays the kind's. Axes: C answers of the corpus, S
sequences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.kinds.items import CorpusReading, Items, Target, Told
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.kinds.registry import kind_named
from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.answer_targets import answer_targets
from skill_plugin.text.sequences.sequence_rule import SequenceLengths


class TextToTextItems(Items):
    """Sequences hold the names and texts of a row, and as targets the texts of all answers, of which one is chosen.

    What the kind's head would give for a sequence are the log-likelihoods of these texts [C], so that answers, scores,
    probabilities and uncertainty follow as from a head. To be learned a sequence has the text of the right answer
    alone; its units are then the tokens of that text, each of which has a loss. To be written (``greedy``) it has none.

    Args:
        reading: how the run reads the corpus; a text-to-text model does.

    Attributes:
        answers: the ids of each answer's text with ``</s>``, C of them; none where answers are no choice.

    Raises:
        InputError: answers of the kind cannot be written, or not so that they can be told apart.
    """

    def __init__(self, reading: CorpusReading) -> None:
        assert reading.text_to_text is not None
        self.answers = answer_targets(reading.corpus, reading.labels, reading.facts, reading.encoder)
        self._inner = inner = kind_named(reading.corpus.kind).text_items(reading)
        self._choices = () if reading.text_to_text.greedy else self.answers
        self.reading, self.corpus, self.template = reading, reading.corpus, inner.template
        self.family, self.rule = inner.family, inner.rule
        self.split_windows, self.needs_example = inner.split_windows, inner.needs_example
        self.unit_targets, self.nothing, self.most_written = inner.unit_targets, inner.nothing, inner.most_written

    def encode(self, examples: Sequence[Example]) -> list[EncodedRow]:
        return self._inner.encode(examples)

    def drawn(self, split: StoredSplit, seed: int) -> StoredSplit:
        return self._inner.drawn(split, seed)

    def lengths(self, split: StoredSplit, training: bool = False) -> SequenceLengths:
        """Each sequence with the texts of all answers, or in training with the longest, whichever is right."""
        tokens, counts = self._inner.lengths(split, training)
        sizes = [len(answer) for answer in (self.answers if training else self._choices)]
        return SequenceLengths(tokens + (max(sizes, default=0) if training else sum(sizes)), counts)

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        return [
            EncodedSequence(one.tokens, one.token_types, targets=self._choices)
            for one in self._inner.sequences(row, only)
        ]

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        return self._inner.target(row, sequences, first)

    def learned(
        self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0
    ) -> tuple[list[EncodedSequence], Target]:
        """With the right answer as target: ``classes`` are its tokens, each of which is a unit."""
        right = [self.answers[number] for number in self._inner.right_answers(row, len(sequences)).tolist()]
        learned = [
            replace(one, units=np.zeros(len(answer), np.int64), targets=(answer,))
            for one, answer in zip(sequences, right, strict=True)
        ]
        return learned, {"classes": np.concatenate(right).astype(np.int64)}

    def right_answers(self, row: EncodedRow, count: int) -> NDArray[np.int64]:
        return self._inner.right_answers(row, count)

    def masked(
        self, sequences: Sequence[EncodedSequence], random: np.random.Generator
    ) -> tuple[list[EncodedSequence], Target] | None:
        return self._inner.masked(sequences, random)

    def reduce(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor] | None) -> Tensor:
        return self._inner.reduce(outputs, target)

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Prediction:
        return self._inner.predict(outputs, row, sequences, example)

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[Any, Any]:
        return self._inner.score(outputs, row, sequences, example)

    def tell(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Told:
        return self._inner.tell(outputs, row, sequences, example)
