"""Chooses the rows of parallel files that each language of a mix trains on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skill_plugin.spec.corpus import MixPart


def select_part(part: MixPart, rows: int) -> NDArray[np.bool_]:
    """Tells for each row whether it belongs to the part; every row belongs to exactly one (thesis, figure 3.5).

    All files are shuffled in the same way and cut into blocks of equal size, one for each language. If the rows cannot
    be divided evenly, the first parts have one row more (the figure leaves the remaining rows out).

    Args:
        part: the part of the mix.
        rows: the number of rows of each file.

    Returns:
        bool [rows], in the order of the file.
    """
    # RandomState is numpy's only generator whose numbers never change: data that is prepared again must be the same
    shuffled = np.random.RandomState(part.seed).permutation(rows)
    found = np.zeros(rows, bool)
    found[np.array_split(shuffled, part.parts)[part.number]] = True
    return found
