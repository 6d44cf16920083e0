"""Windows over a text that is longer than a sequence may be: every token is in at least one.

Starts are multiples of the stride, the last window ends with the text. Devlin et al. (2018), section 4.2 and their
``run_squad.py``: a token that is in several is read where its poorer side has the most context.
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
    """The windows of n texts, those of a text side by side.

    Attributes:
        starts, ends: first token of each window and one past its last, counted from the beginning of its text [S].
        counts: windows of each text [n], at least 1, which add up to S.
    """

    starts: Counts
    ends: Counts
    counts: Counts


def divide_texts(lengths: npt.ArrayLike, room: npt.ArrayLike, stride: npt.ArrayLike | None = None) -> WindowBounds:
    """Divides texts into windows.

    Args:
        lengths: T of each text [n].
        room: most tokens of a window, at least 1; one number, or one of each text [n].
        stride: from one window's start to the next one's, 1 to ``room``; by default half of ``room``.

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


@lru_cache(maxsize=1 << 16)  # rows are read one by one, and each of their windows by itself
def divide_text(length: int, room: int, stride: int | None = None) -> tuple[tuple[int, int], ...]:
    """The windows of one text, see ``divide_texts``.

    Returns:
        First token and one past the last of W windows in order; one that is ``(0, length)`` where the text fits, also
        where it is empty.

    >>> divide_text(10, 4), divide_text(10, 4, 3), divide_text(0, 4)
    (((0, 4), (2, 6), (4, 8), (6, 10)), ((0, 4), (3, 7), (6, 10)), ((0, 0),))
    """
    found = divide_texts([length], room, stride)
    return tuple(zip(found.starts.tolist(), found.ends.tolist(), strict=True))


def choose_windows(length: int, windows: Sequence[tuple[int, int]]) -> Counts:
    """For every token the window in which the shorter of its left and right context is longest; on ties the first.

    Args:
        length: T.
        windows: as ``divide_text`` makes them: they cover the text, starts and ends increase.

    Returns:
        int64 [T], numbers of windows.

    >>> choose_windows(10, [(0, 4), (3, 7), (6, 10)]).tolist()
    [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    """
    bounds = np.asarray(windows, np.int64)
    starts, ends = bounds[:, 0], bounds[:, 1]
    tokens = np.arange(length)
    # From a token's first window with left <= right context on, the left one is the shorter and shrinks from window to
    # window; before it the right one is and grows. So the best is that window or the one before it.
    after = np.minimum(np.searchsorted(starts + ends, 2 * tokens + 1), len(bounds) - 1)
    before = np.maximum(after - 1, 0)

    here = np.minimum(tokens - starts[after], ends[after] - 1 - tokens)
    earlier = np.minimum(tokens - starts[before], ends[before] - 1 - tokens)
    return np.where(earlier >= here, before, after)


def _each(sizes: Counts, counts: Counts) -> Counts:
    """A number of each text for each of its windows; one for all texts stays one."""
    return np.repeat(sizes, counts) if sizes.ndim else sizes
