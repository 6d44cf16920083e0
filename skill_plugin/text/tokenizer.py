"""What every tokenizer does: it turns text into ids of the vocabulary, with offsets into the original text.

Axis: T pieces of a text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from skill_plugin.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from skill_plugin.text.ragged import Ragged

IntArray = npt.NDArray[np.int32]

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
# By code point: spaces, and other characters without ink (controls, zero-width spaces and joiners, direction marks),
# which tokenizers drop or treat as a space although str.isspace is false of them
_SPACE = np.array([chr(c).isspace() or chr(c) in "\u061c\u200b\u200c\u200e\u200f\u2060\ufeff" for c in range(0x10000)])
_SPACE[:0x20] = _SPACE[0x7F:0xA0] = True
INKLESS = "".join(chr(c) for c in np.flatnonzero(_SPACE))


@dataclass(frozen=True, eq=False)
class Encoding:
    """A text as pieces, without special tokens.

    Attributes:
        ids: int32 [T], ids of the vocabulary.
        offsets: int32 [T, 2], the first character of each piece and one past its last, in the original text. Spaces
            around a piece are not part of it; a piece that stands for nothing visible has an empty range.
    """

    ids: IntArray
    offsets: IntArray


class Tokenizer(Protocol):
    """Turns texts into pieces. ``to_state`` saves it, ``from_state`` loads it."""

    kind: str  # the name by which a saved tokenizer finds its class

    def encode_batch(self, texts: Sequence[str], continuing: bool = False) -> list[Encoding]:
        """Encodes texts, in order. Special symbols that are written in a text stay text: they get no special meaning.

        Args:
            texts: any Unicode without lone surrogates.
            continuing: encode each text as a part of a longer text, with no space before it: 北 gives the piece ``北``,
                not ``▁北``. The texts hold no spaces.
        """
        ...

    def encode_ids(self, texts: Sequence[str]) -> Ragged:
        """The ids of ``encode_batch`` alone, which takes a small part of its time."""
        ...

    def to_state(self) -> dict[str, str | bool | bytes | list[str]]:
        """Plain values from which ``from_state`` makes the tokenizer again."""
        ...

    @classmethod
    def from_state(cls, state: dict[str, Any], vocabulary: Vocabulary) -> Tokenizer:
        """The reverse of ``to_state``."""
        ...

    def trim(self, occurring: npt.NDArray[np.bool_]) -> tuple[dict[str, Any], npt.NDArray[np.bool_]]:
        """A tokenizer with fewer pieces: those that occur in some texts, and what any other text needs.

        Args:
            occurring: bool [V], which ids of the vocabulary occur.

        Returns:
            Its state, and bool [V], which ids it can still give.

        Raises:
            InputError: a tokenizer of a kind that cannot lose pieces.
        """
        ...

    def library_json(self, vocabulary: Vocabulary) -> tuple[str, list[str]]:
        """The tokenizer for the library ``tokenizers``, with the vocabulary's ids, and how it names special symbols.

        Returns:
            The text of a ``tokenizer.json`` without a template, and the names of ``<s>``, ``<pad>``, ``</s>``,
            ``<unk>`` and, where there is one, ``<mask>``.

        Raises:
            InputError: no ``tokenizer.json`` does what this tokenizer does.
        """
        ...

    def word_of(self, symbol: str) -> str | None:
        """The text of a symbol of the vocabulary that begins a word; None of others."""
        ...

    def describe(self) -> str:
        """A few words for people, such as ``WordPiece, lower-cased``."""
        ...


def replace_surrogates(text: str) -> str:
    """Replaces lone surrogates by U+FFFD: JSON can hold them, no tokenizer takes them. The length stays."""
    return text if text.isascii() else _LONE_SURROGATES.sub("\ufffd", text)


def trim_spaces(text: str, offsets: IntArray) -> IntArray:
    """Shrinks ranges so that none begins or ends with spaces.

    Args:
        text: the original text.
        offsets: int32 [T, 2].

    Returns:
        int32 [T, 2]; a range of only spaces becomes an empty one at its right end.
    """
    space = _SPACE[_codes(text)]
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


def cover_marks(text: str, offsets: IntArray) -> IntArray:
    """Extends ranges over the combining marks behind them that belong to no range.

    Lower-casing WordPiece drops accents, but they are a part of the original text, as in ``cafe\u0301``.

    Args:
        text: the original text.
        offsets: int32 [T, 2].
    """
    if text.isascii() or not len(offsets):
        return offsets
    codes = _codes(text)
    mark = _marks()[codes]
    if not mark.any():
        return offsets
    starts, ends = offsets[:, 0], offsets[:, 1]
    places = np.arange(len(text) + 1, dtype=np.int32)
    following = places.copy()
    following[:-1] = np.minimum.accumulate(np.where(mark, len(text), places[:-1])[::-1])[::-1]
    # no further than where a later piece begins
    later = np.full(len(offsets), len(text), np.int32)
    later[:-1] = np.minimum.accumulate(starts[:0:-1])[::-1]
    stretched = np.maximum(ends, np.minimum(following[ends], later))
    return np.stack([starts, np.where(starts < ends, stretched, ends)], axis=1)


def _codes(text: str) -> npt.NDArray[np.uint32]:
    """Code points, those beyond the basic plane as U+FFFF."""
    return np.minimum(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32), 0xFFFF)


@lru_cache(maxsize=1)
def _marks() -> npt.NDArray[np.bool_]:
    return np.array([unicodedata.category(chr(code)) == "Mn" for code in range(0x10000)])
