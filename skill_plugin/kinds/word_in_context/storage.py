"""Where the two words are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow, Ids
from skill_plugin.store.row_storage import RowFault, RowStorage
from skill_plugin.text.spans import find_token_range
from skill_plugin.text.tokenizer import Encoding


class WordInContextStorage(RowStorage):
    """Arrays: ``span`` [6], text, first token and one past the last of two words."""

    arrays = ("span",)

    def row(self, example: Example, texts: Sequence[Encoding], candidates: Sequence[Encoding]) -> EncodedRow:
        return EncodedRow(tuple(text.ids for text in texts), arrays={"span": _places(example, texts)})

    def row_fault(self, row: EncodedRow) -> RowFault | None:
        """A word of a text without tokens is read at its token 0 all the same."""
        words = row.arrays["span"]
        if len(words) == 6 and all(
            0 <= text < len(row.texts) and 0 <= first < max(len(row.texts[text]), 1) and first < end
            for text, first, end in words.reshape(2, 3).tolist()
        ):
            return None
        return RowFault("span", "texts", "expected two words, each with its text and its first and last token there")


def _places(example: Example, texts: Sequence[Encoding]) -> Ids:
    """A word without any token of its own is read at the token that follows it, else at the last one."""
    found: list[int] = []
    for text, start, end in example.spans:
        offsets = texts[text].offsets
        place = find_token_range(offsets, start, end)
        if place is None:
            first = min(int(np.searchsorted(offsets[:, 0], start)), max(len(offsets) - 1, 0))
            place = (first, first + 1)
        found += [text, *place]
    return np.array(found, np.int32)
