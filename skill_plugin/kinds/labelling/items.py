"""A tag for every word.

Axes: W words of a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from skill_plugin.kinds.items import Target, Told
from skill_plugin.kinds.labelling.answer import Entity, TagsPrediction
from skill_plugin.kinds.labelling.entities import find_entities
from skill_plugin.kinds.labelling.keys import LabellingKeys
from skill_plugin.kinds.windowed import WindowedItems, Windows, divide_tokens
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.objectives.categorical import IGNORED
from skill_plugin.readers.example import Example
from skill_plugin.spec.tag_schemes import RAW, is_inside_only
from skill_plugin.store.encoded_row import EncodedRow, Ids


class LabellingItems(WindowedItems):
    """Units are the words' first sub-words, outputs their logits [W, tags].

    In a sentence of several windows each word is read in one of them, so that the units of all windows are the words
    in their order.
    """

    needs_example = True

    def tokens_read(self, row: EncodedRow, windows: Windows, numbers: range) -> list[Ids]:
        first, bounds = row.arrays["first"], self._bounds(row, windows)
        return [first[bounds[number] : bounds[number + 1]] for number in numbers]

    def target(self, row: EncodedRow, sequences: Sequence[EncodedSequence], first: int = 0) -> Target:
        bounds = self._bounds(row, self.row_windows(row))
        tags = row.arrays["label"][bounds[first] : bounds[first + len(sequences)]]
        return {"classes": np.where(tags < 0, IGNORED, tags).astype(np.int64)}  # tags that train lacks are below 0

    def _lenient(self, scheme: str) -> bool:
        """Whether an I- begins an entity, as the metric reads tags."""
        return LabellingKeys.of(self.corpus).lenient or is_inside_only(self.reading.labels, scheme)

    def predict(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> TagsPrediction:
        assert example is not None
        tags, text, words = self._tags(outputs), example.texts[0], example.words
        scheme, found = self.reading.facts.get("scheme", RAW), []
        if scheme != RAW:
            for kind, first, last in find_entities(tags, scheme, self._lenient(scheme)):
                start, end = words[first][0], words[last][1]
                found.append(Entity(kind, first, last, text[start:end], start, end))
        return TagsPrediction([text[start:end] for start, end in words], tags, found)

    def score(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> tuple[list[str], list[str]]:
        assert example is not None
        return self._tags(outputs), list(example.answer or ())  # type: ignore[arg-type]

    def tell(
        self, outputs: Tensor, row: EncodedRow, sequences: Sequence[EncodedSequence], example: Example | None
    ) -> Told:
        """Entities with their words; of raw tags the words that were tagged wrongly."""
        assert example is not None
        tags, right = self.score(outputs, row, sequences, example)
        text, words, scheme = example.texts[0], example.words, self.reading.facts.get("scheme", RAW)
        wrong = [number for number, tag in enumerate(right) if tag != tags[number]]

        def show(said: Sequence[str]) -> str:
            raw = [(said[i], i, i) for i in wrong]
            found = raw if scheme == RAW else find_entities(said, scheme, self._lenient(scheme))
            parts = [f"{text[words[first][0] : words[last][1]]} {kind}" for kind, first, last in found]
            return " · ".join(parts) or "(none)"

        return Told(show(tags), show(right), bool(wrong))

    def _tags(self, outputs: Tensor) -> list[str]:
        return [self.reading.labels[tag] for tag in outputs.argmax(-1).tolist()]

    def _bounds(self, row: EncodedRow, windows: Windows) -> Sequence[int]:
        """The first word of each window, and W."""
        bounds: list[int] = divide_tokens(row.arrays["first"], len(row.texts[0]), windows).tolist()
        return bounds
