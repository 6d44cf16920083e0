"""Divides a text that is longer than a sequence may be into windows, so that every token is in at least one.

Windows begin at multiples of the stride, and the last one ends with the text. A token that is in several windows is
read in the one where the shorter of its two contexts is longest (Devlin et al. 2018, section 4.2; ``run_squad.py``).
Axes: T tokens of a text, W windows of a text, n texts, S windows of all texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]


class WindowBounds(NamedTuple):
    """The windows of n texts, one text after the other.

    Attributes:
        starts, ends: the first token of each window and one past its last, counted from the beginning of its text [S].
        counts: the number of windows of each text, at least 1 [n]; they add up to S.
    """

    starts: Counts
    ends: Counts
    counts: Counts


def divide_texts(lengths: npt.ArrayLike, room: npt.ArrayLike, stride: npt.ArrayLike | None = None) -> WindowBounds:
    """Divides texts into windows.

    Args:
        lengths: tokens of each text [n].
        room: the most tokens that a window may have, at least 1; one number, or one for each text [n].
        stride: tokens from the start of one window to the start of the next, 1 to ``room``; by default half of
            ``room``.

    Raises:
        ValueError: ``room`` or ``stride`` is out of range.
    """
    lengths, room = np.asarray(lengths, np.int64), np.asarray(room, np.int64)
    stride = np.maximum(1, room // 2) if stride is None else np.asarray(stride, np.int64)
    if (room < 1).any():
        raise ValueError(f"room is {room.min()}, expected at least 1 token")
    if (wrong := (stride < 1) | (stride > room)).any():
        first, most = (np.broadcast_to(sizes, wrong.shape)[wrong][0] for sizes in (stride, room))
        raise ValueError(f"stride is {first}, expected 1 to {most} tokens")
    counts: Counts = 1 + np.maximum(0, -((room - lengths) // stride))
    before = np.cumsum(counts) - counts  # windows of the texts before
    numbers = np.arange(counts.sum()) - np.repeat(before, counts)
    starts = numbers * _each(stride, counts)
    return WindowBounds(starts, np.minimum(starts + _each(room, counts), np.repeat(lengths, counts)), counts)


@lru_cache(maxsize=1 << 16)  # rows are read one at a time, and for each of their windows anew
def divide_text(length: int, room: int, stride: int | None = None) -> tuple[tuple[int, int], ...]:
    """Divides one text into windows; see ``divide_texts``.

    Returns:
        The first token and one past the last of W windows, in order. A text that fits, or is empty, has the one window
        ``(0, length)``.

    >>> divide_text(10, 4), divide_text(10, 4, 3), divide_text(0, 4)
    (((0, 4), (2, 6), (4, 8), (6, 10)), ((0, 4), (3, 7), (6, 10)), ((0, 0),))
    """
    found = divide_texts([length], room, stride)
    return tuple(zip(found.starts.tolist(), found.ends.tolist(), strict=True))


def choose_windows(length: int, windows: Sequence[tuple[int, int]]) -> Counts:
    """Chooses each token's window: where the shorter of its left and right context is longest; of equals the first.

    Args:
        length: T, the tokens of the text.
        windows: the windows of the text, as ``divide_text`` makes them: they cover it, starts and ends increase.

    Returns:
        int64 [T], the number of each token's window.

    >>> choose_windows(10, [(0, 4), (3, 7), (6, 10)]).tolist()
    [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    """
    bounds = np.asarray(windows, np.int64)
    starts, ends = bounds[:, 0], bounds[:, 1]
    tokens = np.arange(length)
    # Look at a token's first window in which its left context is not longer than its right one. From there on the left
    # context is the shorter one, and shrinks from window to window; before, the right one is shorter, and grows. So the
    # best window is this one or the one before it.
    after = np.minimum(np.searchsorted(starts + ends, 2 * tokens + 1), len(bounds) - 1)
    before = np.maximum(after - 1, 0)

    here = np.minimum(tokens - starts[after], ends[after] - 1 - tokens)
    earlier = np.minimum(tokens - starts[before], ends[before] - 1 - tokens)
    return np.where(earlier >= here, before, after)


def _each(sizes: Counts, counts: Counts) -> Counts:
    """Repeats the number of each text for each of its windows; a single number for all texts stays as it is."""
    return np.repeat(sizes, counts) if sizes.ndim else sizes
