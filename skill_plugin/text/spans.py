"""Turns spans of characters into spans of tokens, and spans of tokens into characters of the original text.

Offsets are those of ``Encoding``. They need not be sorted: neighbours may share characters (``ﷺ`` is several pieces),
and tokens that stand for nothing visible have empty ranges. So all T are scanned, which takes microseconds.
Axis: T tokens of the text.
"""

from __future__ import annotations

import numpy as np

from skill_plugin.text.tokenizer import IntArray


def find_token_range(offsets: IntArray, start: int, end: int) -> tuple[int, int] | None:
    """Finds the tokens that share a character with a span.

    Args:
        offsets: int32 [T, 2].
        start: first character of the span.
        end: one past its last character.

    Returns:
        The first such token and one past the last; None if there is none.
    """
    touching = np.flatnonzero(np.maximum(offsets[:, 0], start) < np.minimum(offsets[:, 1], end))
    return (int(touching[0]), int(touching[-1]) + 1) if len(touching) else None


def find_character_range(offsets: IntArray, first: int, last: int) -> tuple[int, int]:
    """Finds the characters that a span of tokens stands for.

    Args:
        offsets: int32 [T, 2].
        first: first token.
        last: one past the last token, more than ``first``.

    Returns:
        The first character and one past the last; an empty range if all tokens have empty ranges.

    Raises:
        ValueError: the span has no token, or goes beyond the text.
    """
    if not 0 <= first < last <= len(offsets):
        raise ValueError(f"tokens {first} to {last} of {len(offsets)}: expected at least one")
    chosen = offsets[first:last]
    visible = chosen[chosen[:, 0] < chosen[:, 1]]
    if not len(visible):
        return int(chosen[0, 0]), int(chosen[0, 0])
    return int(visible[:, 0].min()), int(visible[:, 1].max())
