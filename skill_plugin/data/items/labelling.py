"""A tag for every word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.data.items.items import Target
from skill_plugin.data.items.windowed import WindowedItems
from skill_plugin.data.predictions import Entity, TagsPrediction
from skill_plugin.metrics.entities import entities
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.windows import window_of

IGNORED = -100  # torch's mark for a target that is not to be learned


class LabellingItems(WindowedItems):
    """Units are the first sub-words; outputs are logits [U, tags]. In a sentence of several windows each word is
    read in the window where it has the most context, so every word has exactly one tag."""

    needs_example = True

    def units(self, row: EncodedRow, windows: Sequence[tuple[int, int]], number: int, at: int) -> NDArray[np.int64]:
        start, _ = windows[number]
        return row.arrays["first"][self._words(row, windows, number)].astype(np.int64) - start + at

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        windows = self.row_windows(row)
        words = [self._words(row, windows, number) for number in range(first, first + len(sequences))]
        tags = row.arrays["label"][np.concatenate(words)].astype(np.int64)
        return {"classes": np.where(tags < 0, IGNORED, tags)}

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> TagsPrediction:
        assert example is not None
        tags = self._tags(outputs, row)
        text, words = example.texts[0], example.words
        found = []
        if self.reading.facts.get("scheme", "raw") != "raw":
            for kind, first, last in entities(tags, self.reading.facts["scheme"], lenient=True):
                start, end = words[first][0], words[last][1]
                found.append(Entity(kind, first, last, text[start:end], start, end))
        return TagsPrediction([text[start:end] for start, end in words], tags, found)

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[list[str], list[str]]:
        assert example is not None
        return self._tags(outputs, row), list(example.answer or ())  # type: ignore[arg-type]

    def _tags(self, outputs: Tensor, row: EncodedRow) -> list[str]:
        windows = self.row_windows(row)
        order = np.concatenate([self._words(row, windows, number) for number in range(len(windows))])
        best = outputs.argmax(-1) if len(order) else torch.zeros(0, dtype=torch.long)
        tags = np.empty(len(order), np.int64)
        tags[order] = best.numpy()
        return [self.reading.labels[tag] for tag in tags]

    def _words(self, row: EncodedRow, windows: Sequence[tuple[int, int]], number: int) -> NDArray[np.int64]:
        """Numbers of the words that are read in a window."""
        first = row.arrays["first"]
        if len(windows) == 1:
            return np.arange(len(first), dtype=np.int64)
        return np.flatnonzero(window_of(len(row.texts[0]), windows)[first] == number).astype(np.int64)
