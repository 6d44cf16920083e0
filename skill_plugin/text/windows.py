"""Windows over a text that is longer than a sequence may be: every token is in at least one.

Starts are multiples of the stride, the last window ends with the text. Devlin et al. (2018), section 4.2 and their
``run_squad.py``: a token that is in several is read where its poorer side has the most context.
Axes: T tokens of a text, W windows of a text, n texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]


def windows(length: int, room: int, stride: int | None = None) -> list[tuple[int, int]]:
    """First token of each window and one past its last.

    Args:
        length: T.
        room: most tokens of a window, at least 1.
        stride: from one window's start to the next one's, 1 to ``room``; by default half of ``room``.

    Returns:
        W windows in order; one that is ``(0, length)`` where the text fits, also where it is empty.

    Raises:
        ValueError: ``room`` or ``stride`` is out of range.

    >>> windows(10, 4), windows(10, 4, 3), windows(0, 4)
    ([(0, 4), (2, 6), (4, 8), (6, 10)], [(0, 4), (3, 7), (6, 10)], [(0, 0)])
    """
    stride = _stride(room, stride)
    count = 1 + max(0, -((room - length) // stride))
    return [(i * stride, min(i * stride + room, length)) for i in range(count)]


def window_counts(lengths: npt.ArrayLike, room: int, stride: int | None = None) -> Counts:
    """W of each text, as ``windows`` makes them.

    Args:
        lengths: whole numbers [n].
        room: as for ``windows``.
        stride: as for ``windows``.

    Returns:
        int64 [n], at least 1.

    Raises:
        ValueError: ``room`` or ``stride`` is out of range.
    """
    stride = _stride(room, stride)
    lengths = np.asarray(lengths, np.int64)
    longest = int(lengths.max(initial=0))
    if longest <= room:
        return np.ones(len(lengths), np.int64)
    counts: Counts = 1 + np.maximum(0, -((room - lengths) // stride))
    return counts


def window_of(length: int, windows: Sequence[tuple[int, int]]) -> Counts:
    """For every token the window in which the shorter of its left and right context is longest; on ties the first.

    Args:
        length: T.
        windows: as ``windows`` makes them: they cover the text, starts and ends increase.

    Returns:
        int64 [T], numbers of windows.

    >>> window_of(10, [(0, 4), (3, 7), (6, 10)]).tolist()
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


def _stride(room: int, stride: int | None) -> int:
    if room < 1:
        raise ValueError(f"room is {room}, expected at least 1 token")
    if stride is None:
        return max(1, room // 2)
    if not 1 <= stride <= room:
        raise ValueError(f"stride is {stride}, expected 1 to {room} tokens")
    return stride
