"""How alpha moves from the first epoch to the last."""

from __future__ import annotations


def annealed_alpha(first: float, last: float, done: int, updates: int, max_update: int) -> float:
    """Linear in the updates done before an epoch, from ``first`` in the first epoch to ``last`` in the last one.

    Where all epochs are equally long this is the schedule of PALs (Stickland and Murray 2019), of which ``1.0`` and
    ``0.2`` are the values: ``alpha = 1 - 0.8 (e - 1) / (E - 1)`` in epoch e of E.

    Args:
        first, last: alpha in the epoch that begins the run, and in the one in which it ends; a run of one epoch has
            the first.
        done: updates before the epoch.
        updates: updates of the epoch, and of each that follows, as far as is known.
        max_update: updates of the run.
    """
    if first == last or done == 0:
        return first
    before_the_last = done + (max_update - 1 - done) // updates * updates
    return first + (last - first) * done / max(done, before_the_last)
