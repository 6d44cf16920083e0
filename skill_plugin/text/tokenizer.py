"""What every tokenizer offers: text -> ids of the vocabulary, with character offsets into the text as it was given.

Axis: T pieces of a text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int32]

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
# By code point: spaces, and characters without ink that tokenizers treat as one although str.isspace does not
_SPACE = np.array([chr(code).isspace() or chr(code) in "\u200b\u2060\ufeff" for code in range(0x10000)])


@dataclass(frozen=True, eq=False)
class Encoding:
    """A text as pieces, without special tokens.

    Attributes:
        ids: int32 [T], ids of the vocabulary.
        offsets: int32 [T, 2], first character and one past the last, in the original text; spaces around a piece are
            not part of it, and a piece that stands for nothing visible is an empty range.
    """

    ids: IntArray
    offsets: IntArray


class Tokenizer(Protocol):
    """Text -> pieces. ``to_state`` and a class method ``from_state(state, vocabulary)`` carry it through files."""

    kind: str  # the name by which a saved tokenizer finds its class

    def encode_batch(self, texts: Sequence[str]) -> list[Encoding]:
        """One Encoding a text, in order. Special symbols written in a text are text: they never become special."""
        ...

    def to_state(self) -> dict[str, str | bool | bytes | list[str]]:
        """All that is needed to make the tokenizer again."""
        ...

    def describe(self) -> str:
        """A few words for people, such as ``WordPiece, lower-cased``."""
        ...


def without_surrogates(text: str) -> str:
    """Lone surrogates, which JSON can smuggle in and no tokenizer takes, as U+FFFD; the length stays the same."""
    return _LONE_SURROGATES.sub("\ufffd", text)


def trim_spaces(text: str, offsets: IntArray) -> IntArray:
    """Moves the ends of ranges inwards past spaces, so that a range is where the ink is.

    Args:
        text: the original text of n characters.
        offsets: int32 [T, 2].

    Returns:
        int32 [T, 2]; ranges of spaces alone become empty ones at their right end.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    space = _SPACE[np.minimum(codes, 0xFFFF)]
    if not space.any() or not len(offsets):
        return offsets
    places = np.arange(len(text), dtype=np.int32)
    # following[i]: the first character with ink at or after i; preceding[i]: one past the last one before i
    following = np.full(len(text) + 1, len(text), np.int32)
    following[:-1] = np.minimum.accumulate(np.where(space, len(text), places)[::-1])[::-1]
    preceding = np.zeros(len(text) + 1, np.int32)
    preceding[1:] = np.maximum.accumulate(np.where(space, 0, places + 1))
    start = np.minimum(following[offsets[:, 0]], offsets[:, 1])
    return np.stack([start, np.maximum(preceding[offsets[:, 1]], start)], axis=1)
