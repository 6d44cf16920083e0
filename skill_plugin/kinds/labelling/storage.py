"""The words of a sentence by their first tokens.

Axis: W words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skill_plugin.errors import counted
from skill_plugin.kinds.labelling.keys import LabellingKeys
from skill_plugin.readers.example import Example
from skill_plugin.readers.split_data import SplitData
from skill_plugin.spec.corpus import Corpus
from skill_plugin.spec.tag_schemes import find_scheme
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.row_storage import RowFault, RowStorage, are_within
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.words import encode_words_batch


class LabellingStorage(RowStorage):
    """Arrays: ``first`` [W], the first token of each word. The fact ``scheme`` is that of the tags.

    A row has a label a word. A tag that train lacks cannot be learned or predicted; it is scored on the original texts.
    """

    arrays = ("first",)
    unknown_labels = True

    def encode(self, corpus: Corpus, examples: Sequence[Example], encoder: TextEncoder) -> list[EncodedRow]:
        sentences = [[example.texts[0][start:end] for start, end in example.words] for example in examples]
        return [
            EncodedRow((words.ids,), arrays={"first": words.first.astype(np.int32)})
            for words in encode_words_batch(encoder, sentences, corpus.join == "space")
        ]

    def facts(self, corpus: Corpus, splits: Mapping[str, SplitData], labels: tuple[str, ...] | None) -> dict[str, Any]:
        return {"scheme": LabellingKeys.of(corpus).scheme or find_scheme(labels or ())}

    def row_fault(self, row: EncodedRow) -> RowFault | None:
        first, tokens = row.arrays["first"], len(row.texts[0])
        if not are_within(first, tokens) or (np.diff(first) < 0).any():
            return RowFault("first", "texts", f"expected tokens below {tokens} in their order")
        if "label" in row.arrays and len(row.arrays["label"]) != len(first):
            tags = counted(len(row.arrays["label"]), "tag")
            return RowFault("label", "first", f"holds {tags} for {counted(len(first), 'word')}")
        return None

    def example_fault(self, example: Example, row: EncodedRow) -> str | None:
        words, tags, length = example.words, example.answer, len(example.texts[0])
        if len(words) != len(row.arrays["first"]):
            return f"holds {counted(len(words), 'word')}, expected {len(row.arrays['first'])}"
        if tags is not None and (not isinstance(tags, tuple) or len(tags) != len(words)):
            return f"expected a tag for each of {counted(len(words), 'word')}"
        if any(not 0 <= start <= end <= length for start, end in words):
            return f"a word lies outside its text of {counted(length, 'character')}"
        return None
