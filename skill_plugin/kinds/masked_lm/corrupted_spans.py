"""Raw text without some spans, which are to be written (``text.span_corruption``).

Axes: W windows of a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.kinds.items import CorpusReading, Target
from skill_plugin.kinds.masked_lm.answer import SpanPrediction
from skill_plugin.kinds.masked_lm.hidden_tokens import HiddenTokenItems
from skill_plugin.kinds.windowed import Windows
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.sequences.sequence_rule import SequenceLengths
from skill_plugin.text.span_corruption import corrupt_spans, count_spans, find_sentinels, split_spans
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.text.windows import choose_windows


class CorruptedSpanItems(HiddenTokenItems):
    """Units are the tokens of the target: sentinels, spans and ``</s>``. A person's masks are sentinels, for whose
    spans a text is written.
    """

    def __init__(self, reading: CorpusReading) -> None:
        super().__init__(reading)
        self.sentinels = find_sentinels(reading.encoder.vocabulary)
        self.mask = int(self.sentinels[0])
        self.most_written = reading.max_length // 2

    def lengths(self, split: StoredSplit, training: bool = False) -> SequenceLengths:
        tokens, counts = super().lengths(split, training)
        spans = count_spans(tokens - self.rule.special, len(self.sentinels)).spans
        return SequenceLengths(tokens + 2 * spans + 1, counts)  # a sentinel in each of the two, and a second </s>

    def tokens_read(self, row: EncodedRow, windows: Windows, numbers: range) -> list[NDArray[np.int64]]:
        return [np.zeros(0, np.int64)] * len(numbers)

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        """Masks, where there are some, with the sentinel of their place among those of the window."""
        found = super().sequences(row, only)
        return [replace(one, tokens=self._numbered(one.tokens.astype(np.int32))) for one in found]

    def _numbered(self, tokens: NDArray[np.int32]) -> NDArray[np.int32]:
        masks = np.flatnonzero(tokens == self.mask)
        # more masks than there are sentinels are all the last one, for which one text is written
        tokens[masks] = self.sentinels[np.minimum(np.arange(len(masks)), len(self.sentinels) - 1)]
        return tokens

    def masked(
        self, sequences: Sequence[EncodedSequence], random: np.random.Generator
    ) -> tuple[list[EncodedSequence], Target]:
        before = self.rule.special - 1
        end = np.array([Vocabulary.eos], np.int32)
        hidden = []
        for sequence in sequences:
            tokens = np.asarray(sequence.tokens, np.int32)
            corrupted = corrupt_spans(tokens[before:-1], self.sentinels, random)
            source = np.concatenate([tokens[:before], corrupted.source, end])
            target = np.concatenate([corrupted.target, end])
            units = np.zeros(len(target), np.int64)
            hidden.append(EncodedSequence(source, np.zeros(len(source), np.int32), units, (target,)))
        return hidden, {"classes": np.concatenate([one.targets[0] for one in hidden]).astype(np.int64)}

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> SpanPrediction:
        """What is written for each mask, in the window that knows most of what stands around it.

        ``outputs`` are the ids that are written for each window [W, …], -1 behind their end.
        """
        text, windows = row.texts[0], self.row_windows(row)
        written = [split_spans(one.astype(np.int32), self.sentinels) for one in outputs.long().numpy()]
        masks = np.flatnonzero(text == self.mask)
        fills = []
        for mask, window in zip(masks.tolist(), choose_windows(len(text), windows)[masks].tolist(), strict=True):
            number = int(((masks >= windows[window][0]) & (masks < mask)).sum())
            fills.append(self.reading.encoder.spell(written[window].get(number, ())))
        return SpanPrediction(fills)
