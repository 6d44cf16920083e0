"""Where the tokens and the accepted answers are in the context.

Axes: T tokens of the context, A accepted answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from skill_plugin.errors import counted
from skill_plugin.readers.example import Example
from skill_plugin.readers.split_data import SplitData
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.encoded_row import EncodedRow, Ids
from skill_plugin.store.row_storage import RowFault, RowStorage, are_within
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.spans import find_token_range
from skill_plugin.text.tokenizer import Encoding


class SpanStorage(RowStorage):
    """Arrays: ``offset`` [2T], first character and one past the last of each token; ``answer`` [2A], first and last
    token of each accepted answer. The fact ``no_answer``: whether there are questions without an answer."""

    arrays = ("offset", "answer")

    def row(self, example: Example, texts: Sequence[Encoding], candidates: Sequence[Encoding]) -> EncodedRow:
        offsets = texts[-1].offsets
        arrays = {"offset": offsets.reshape(-1).astype(np.int32), "answer": answer_places(example, offsets)}
        return EncodedRow(tuple(text.ids for text in texts), arrays=arrays)

    def facts(self, corpus: Corpus, splits: Mapping[str, SplitData], labels: tuple[str, ...] | None) -> dict[str, Any]:
        read = [splits["train"]] if "train" in splits else list(splits.values())
        return {"no_answer": any(example.answer == () for split in read for example in split.examples)}

    def read_answers(self, stored: StoredSplit, folder: Path, split: str) -> StoredSplit:
        if split == "train" or stored.original is None or not len(stored):
            return stored
        return replace(stored, answered=stored.example(0).answer is not None)

    def row_fault(self, row: EncodedRow) -> RowFault | None:
        offset, answer, tokens = row.arrays["offset"], row.arrays["answer"], len(row.texts[-1])
        if len(offset) != 2 * tokens or (offset < 0).any() or (offset[::2] > offset[1::2]).any():
            return RowFault("offset", "texts", f"expected first and last character of {counted(tokens, 'token')}")
        if len(answer) % 2 or not are_within(answer, tokens) or (answer[::2] > answer[1::2]).any():
            return RowFault("answer", "texts", f"expected first and last of {counted(tokens, 'token')} for each answer")
        return None

    def example_fault(self, example: Example, row: EncodedRow) -> str | None:
        if int(row.arrays["offset"].max(initial=0)) > len(example.texts[-1]):
            return f"its text has {counted(len(example.texts[-1]), 'character')}, fewer than its tokens say"
        return None


def answer_places(example: Example, offsets: Ids) -> Ids:
    """Answers whose place in the context is known, as first and last token [2A]; offsets [T, 2] of the context."""
    found: list[int] = []
    for start, text in cast("Sequence[tuple[int, str]]", example.answer or ()):
        place = find_token_range(offsets, start, start + len(text)) if start >= 0 else None
        if place is not None:
            found += [place[0], place[1] - 1]
    return np.array(found, np.int32)
