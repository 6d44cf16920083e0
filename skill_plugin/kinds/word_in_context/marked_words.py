"""Two words as a text-to-text model finds them: each between asterisks where it stands.

So Raffel et al. (2020, section 2.4) mark the pronoun of a Winograd schema.
"""

from __future__ import annotations

import numpy as np

from skill_plugin.kinds.items import CorpusReading
from skill_plugin.kinds.word_in_context.items import WordInContextItems
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.vocabulary import SPACE


class MarkedWordItems(WordInContextItems):
    """``the * bank * of the river``, whatever is cut of the text beside the word."""

    def __init__(self, reading: CorpusReading) -> None:
        super().__init__(reading)
        self._mark = reading.encoder.encode("*").ids
        vocabulary = reading.encoder.vocabulary
        # a piece of its own is of the word behind it
        self._space = vocabulary.index(SPACE) if SPACE in vocabulary else None

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        """One."""
        words = row.arrays["span"].reshape(2, 3).tolist()
        texts = []
        for number, (text, kept) in enumerate(zip(row.texts, self.kept(row), strict=True)):
            bounds = [
                place
                for word, first, end in words
                if word == number
                for place in (first - (first > 0 and text[first - 1] == self._space), end)
            ]
            places = np.searchsorted(kept, bounds).repeat(len(self._mark))
            texts.append(np.insert(text[kept], places, np.tile(self._mark, len(bounds))))
        assembled = self.template.assemble(texts)
        return [EncodedSequence(assembled.tokens, assembled.token_types)]
