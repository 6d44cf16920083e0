"""What cannot be in a row that ``prepare`` wrote: places outside their text, parts that do not belong together.

For folders whose files carry no checksum, or whose checksums are not looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow, Ids


class RowFault(NamedTuple):
    """What is wrong with a row.

    Attributes:
        array: the array that does not fit its row.
        other: what it does not fit: another array, ``texts`` or ``members``; one of the two is damaged.
        message: what was expected.
    """

    array: str
    other: str
    message: str


def row_fault(row: EncodedRow) -> RowFault | None:
    """What is wrong with a row; None for a good one."""
    arrays = row.arrays
    if "first" in arrays:
        first, tokens = arrays["first"], len(row.texts[0])
        if not _within(first, tokens) or (np.diff(first) < 0).any():
            return RowFault("first", "texts", f"expected tokens below {tokens} in their order")
        if "label" in arrays and len(arrays["label"]) != len(first):
            return RowFault("label", "first", f"holds {len(arrays['label'])} tags for {len(first)} words")
    if "offset" in arrays:
        offset, tokens = arrays["offset"], len(row.texts[-1])
        if len(offset) != 2 * tokens or (offset < 0).any() or (offset[::2] > offset[1::2]).any():
            return RowFault("offset", "texts", f"expected first and last character of {tokens} tokens")
        answer = arrays["answer"]
        if len(answer) % 2 or not _within(answer, tokens) or (answer[::2] > answer[1::2]).any():
            return RowFault("answer", "texts", f"expected first and last of {tokens} tokens for each answer")
    if "span" in arrays and not _is_span(row):
        return RowFault("span", "texts", "expected two words, each with its text and its first and last token there")
    if "relevance" in arrays and len(arrays["relevance"]) not in (0, len(row.members)):
        message = f"holds {len(arrays['relevance'])} numbers for {len(row.members)} candidates"
        return RowFault("relevance", "members", message)
    return None


def example_fault(example: Example, row: EncodedRow) -> str | None:
    """Why the original texts are not those of a row; None where they can be."""
    if len(example.texts) != len(row.texts):
        return f"holds {len(example.texts)} texts, expected {len(row.texts)}"
    if "first" in row.arrays:
        words, tags, length = example.words, example.answer, len(example.texts[0])
        if len(words) != len(row.arrays["first"]):
            return f"holds {len(words)} words, expected {len(row.arrays['first'])}"
        if tags is not None and (not isinstance(tags, tuple) or len(tags) != len(words)):
            return f"expected a tag for each of {len(words)} words"
        if any(not 0 <= start <= end <= length for start, end in words):
            return f"a word lies outside its text of {length} characters"
    if "offset" in row.arrays and int(row.arrays["offset"].max(initial=0)) > len(example.texts[-1]):
        return f"its text has {len(example.texts[-1])} characters, fewer than its tokens say"
    return None


def _within(places: Ids, length: int) -> bool:
    return not len(places) or bool(places.min() >= 0 and places.max() < length)


def _is_span(row: EncodedRow) -> bool:
    """A word of a text without tokens is read at its token 0 all the same."""
    words = row.arrays["span"]
    if len(words) != 6:
        return False
    return all(
        0 <= text < len(row.texts) and 0 <= first < max(len(row.texts[text]), 1) and first < end
        for text, first, end in words.reshape(2, 3).tolist()
    )
