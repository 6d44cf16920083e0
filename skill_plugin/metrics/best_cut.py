"""The cut that separates numbers best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def best_cut(values: Numbers, gains: Numbers, usual: float) -> float:
    """The cut with the greatest sum of the gains of the values above it.

    Of equally good cuts it is ``usual`` or the nearest to it; between two values it lies in their middle, and one below
    or above all values is 1 away from them.

    Args:
        values: [n].
        gains: what is gained where the value is above the cut [n].
        usual: the cut that is to be taken where none is better.
    """
    order = np.argsort(-values, kind="stable")
    values, sums = values[order], np.concatenate([[0.0], np.cumsum(gains[order])])
    above, below = np.concatenate([[np.inf], values]), np.concatenate([values, [-np.inf]])  # of each cut
    middle = np.where(np.isinf(above), below + 1, np.where(np.isinf(below), above - 1, (above + below) / 2))
    cuts = np.where((below <= usual) & (usual < above), usual, middle)
    possible = above > below
    tolerance = 1e-9 * max(1.0, float(np.abs(sums).max()))  # of sums in another order
    good = np.flatnonzero(possible & (sums >= sums[possible].max() - tolerance))
    return float(cuts[good[np.argmin(np.abs(cuts[good] - usual))]])
