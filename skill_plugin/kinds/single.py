"""Kinds whose items are one sequence each, read from its first token."""

from __future__ import annotations

import numpy as np

from skill_plugin.kinds.items import Items, Lengths
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.stored_split import StoredSplit


class SingleItems(Items):
    """One to three texts, truncated to one sequence."""

    def lengths(self, split: StoredSplit) -> Lengths:
        total = np.sum(split.text_sizes, axis=0) + self.template.special_tokens(len(split.text_sizes))
        return Lengths(np.minimum(total, self.reading.max_length), np.ones(len(total), np.int64))

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        """One."""
        assembled = self.template.assemble(row.texts, self.reading.max_length, self.corpus.truncate)
        return [EncodedSequence(assembled.tokens, assembled.token_types)]
