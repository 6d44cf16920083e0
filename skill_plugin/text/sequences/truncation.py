"""How many tokens each text keeps when texts together are too long."""

from __future__ import annotations

from collections.abc import Sequence

TRUNCATE = ("longest", "right")


def truncate_lengths(lengths: Sequence[int], room: int, truncate: str) -> list[int]:
    """How many tokens each text keeps so that together they have at most ``room``.

    Args:
        lengths: tokens of each text.
        room: the most tokens of all texts together, 0 or more.
        truncate: ``longest`` cuts tokens one at a time from the right end of the text that is then longest, as
            transformers' ``longest_first`` does; ``right`` cuts the last text first, then the ones before it.

    >>> truncate_lengths([10, 4], 9, "longest"), truncate_lengths([10, 4], 9, "right")
    ([5, 4], [9, 0])
    """
    kept = list(lengths)
    excess = sum(kept) - room
    if truncate == "right":
        for i in reversed(range(len(kept))):
            cut = min(max(excess, 0), kept[i])
            kept[i] -= cut
            excess -= cut
        return kept
    if truncate != "longest":
        raise ValueError(f"truncate is one of {TRUNCATE}, not {truncate!r}")
    # On a tie the text that was shorter to begin with loses first, then the earlier one: transformers' rule, so that a
    # pair is cut here exactly as there.
    order = sorted(range(len(kept)), key=lambda i: (lengths[i], i))
    while excess > 0:
        top = max(kept)
        longest = [i for i in order if kept[i] == top]
        below = max((k for k in kept if k < top), default=0)
        step = min(top - below, excess // len(longest))
        if step == 0:
            for i in longest[:excess]:
                kept[i] -= 1
            break
        for i in longest:
            kept[i] -= step
        excess -= step * len(longest)
    return kept
