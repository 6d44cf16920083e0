"""Spans of characters as spans of tokens, and back to the characters of the text as it was given.

Offsets are those of ``Encoding``. Those that are not empty increase with all tokenizers here, but neighbours may share
characters (``ﷺ`` is several pieces) and tokens that stand for nothing visible have empty ranges in between: a scan over
T costs microseconds and needs no order.
Axis: T tokens of the text.
"""

from __future__ import annotations

import numpy as np

from skill_plugin.text.tokenizer import IntArray


def find_token_range(offsets: IntArray, start: int, end: int) -> tuple[int, int] | None:
    """The tokens that a span of characters touches.

    Args:
        offsets: int32 [T, 2].
        start: first character.
        end: one past the last character.

    Returns:
        The first token that shares a character with the span and one past the last, or None where none does.
    """
    touching = np.flatnonzero(np.maximum(offsets[:, 0], start) < np.minimum(offsets[:, 1], end))
    return (int(touching[0]), int(touching[-1]) + 1) if len(touching) else None


def find_character_range(offsets: IntArray, first: int, last: int) -> tuple[int, int]:
    """The characters from the first to the last that some tokens stand for.

    Args:
        offsets: int32 [T, 2].
        first: first token.
        last: one past the last token, more than ``first``.

    Returns:
        First character and one past the last; empty where all the tokens' ranges are.

    Raises:
        ValueError: no tokens.
    """
    if not 0 <= first < last <= len(offsets):
        raise ValueError(f"tokens {first} to {last} of {len(offsets)}: expected at least one")
    chosen = offsets[first:last]
    visible = chosen[chosen[:, 0] < chosen[:, 1]]
    if not len(visible):
        return int(chosen[0, 0]), int(chosen[0, 0])
    return int(visible[:, 0].min()), int(visible[:, 1].max())
