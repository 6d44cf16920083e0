"""The sentences of a document as members, of which pairs are made when they are read."""

from __future__ import annotations

from collections.abc import Sequence

from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.row_storage import RowStorage
from skill_plugin.text.tokenizer import Encoding


class NextSentenceStorage(RowStorage):
    """A row is a document."""

    has_members = True

    def row(self, example: Example, texts: Sequence[Encoding], candidates: Sequence[Encoding]) -> EncodedRow:
        return EncodedRow((), tuple(text.ids for text in texts))
