"""Whether a word has one meaning in two contexts, or two words of a text mean one thing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skill_plugin.kinds.classification.items import ClassificationItems
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.store.encoded_row import EncodedRow


class WordInContextItems(ClassificationItems):
    """Units are [1, 3]: the first token and the first sub-word of each word (MT-TaG, A.3.1)."""

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        """One."""
        kept = self.kept(row)
        texts = [text[tokens] for text, tokens in zip(row.texts, kept, strict=True)]
        assembled = self.template.assemble(texts)
        units = [0]
        for number, first, _ in row.arrays["span"].reshape(2, 3).tolist():
            begin, end = assembled.ranges[number]
            place = begin + int(np.searchsorted(kept[number], first))
            units.append(min(place, end - 1))  # a text that keeps no token is read at the special token before it
        return [EncodedSequence(assembled.tokens, assembled.token_types, np.array([units], np.int64))]

    def kept(self, row: EncodedRow) -> list[NDArray[np.int64]]:
        """The tokens that each text keeps; if it must be cut, those next to its words, in their order."""
        words = row.arrays["span"].reshape(2, 3).tolist()
        lengths = self.rule.kept([len(text) for text in row.texts])
        return [
            _nearest(len(text), length, [first for number, first, _ in words if number == i])
            for i, (text, length) in enumerate(zip(row.texts, lengths, strict=True))
        ]


def _nearest(length: int, kept: int, words: Sequence[int]) -> NDArray[np.int64]:
    """Which of a text's tokens to keep: those that are next to a word's first token, else the first ones.

    Args:
        length: tokens of the text.
        kept: how many to keep.
        words: first tokens of the words in it.

    Returns:
        [kept], increasing.

    >>> _nearest(9, 3, [4]).tolist(), _nearest(9, 4, [1, 8]).tolist(), _nearest(9, 2, []).tolist()
    ([3, 4, 5], [0, 1, 2, 8], [0, 1])
    """
    tokens = np.arange(length)
    distance = np.min([np.abs(tokens - word) for word in words or [0]], axis=0)
    return np.sort(np.argsort(distance, kind="stable")[:kept])
