"""Whether a word has one meaning in two contexts, or two words of a text mean one thing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.data.items.classification import class_prediction
from skill_plugin.data.items.items import Target
from skill_plugin.data.items.single import SingleItems, class_target
from skill_plugin.data.predictions import ClassPrediction
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow, Ids
from skill_plugin.text.template import kept_lengths


class WordInContextItems(SingleItems):
    """Units are [1, 3]: the first token and the first sub-word of each word (MT-TaG, A.3.1)."""

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        """One. A text that must be cut loses tokens on both sides of its words, so that they stay."""
        spans = row.arrays["span"].reshape(2, 3)
        room = self.reading.max_length - self.template.special_tokens(len(row.texts))
        kept = kept_lengths([len(text) for text in row.texts], max(room, 0), self.corpus.truncate)
        starts = [_start(text, kept[i], spans[spans[:, 0] == i]) for i, text in enumerate(row.texts)]
        texts = [text[start : start + length] for text, start, length in zip(row.texts, starts, kept, strict=True)]
        assembled = self.template.assemble(texts, self.reading.max_length, self.corpus.truncate)
        units = [0]
        for text, first, _ in spans.tolist():
            begin, end = assembled.ranges[text]
            units.append(min(max(begin + first - starts[text], begin), max(end - 1, 0)))
        return [EncodedSequence(assembled.tokens, assembled.token_types, np.array([units], np.int64))]

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        return class_target(row, sequences)

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> ClassPrediction:
        return class_prediction(outputs, self.reading.labels)

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[int, int]:
        return int(outputs[0].argmax()), int(row.arrays["label"][0])


def _start(text: Ids, length: int, spans: NDArray[np.int32]) -> int:
    """Where to begin in a text that keeps so many tokens, so that the words are in the middle of them."""
    if len(spans) == 0 or len(text) <= length:
        return 0
    middle = int(spans[:, 1].min() + spans[:, 2].max()) // 2
    start = min(max(middle - length // 2, 0), len(text) - length)
    return min(start, int(spans[:, 1].min()))  # if both do not fit, the earlier one stays
