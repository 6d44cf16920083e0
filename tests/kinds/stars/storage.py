"""Stars are an array of one number, or none where they are unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.row_storage import RowFault, RowStorage
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.tokenizer import Encoding


class StarsStorage(RowStorage):
    arrays = ("stars",)

    def row(self, example: Example, texts: Sequence[Encoding], candidates: Sequence[Encoding]) -> EncodedRow:
        return EncodedRow((texts[0].ids,), arrays={"stars": np.array(example.answer or (), np.int32)})

    def read_answers(self, stored: StoredSplit, folder: Path, split: str) -> StoredSplit:
        return replace(stored, answered=bool(stored.arrays["stars"].sizes.all()))

    def row_fault(self, row: EncodedRow) -> RowFault | None:
        good = all(stars >= 1 for stars in row.arrays["stars"].tolist())
        return None if good else RowFault("stars", "texts", "expected a number from 1")
