"""Which rows of parallel files each language of a mix has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skill_plugin.spec.corpus import MixPart


def select_part(part: MixPart, rows: int) -> NDArray[np.bool_]:
    """Whether each row is of the part; every row is of exactly one (thesis, figure 3.5).

    All files are shuffled alike and cut into as many blocks of equal size as there are languages, of which language i
    has block i. Where the rows cannot be divided evenly, the first parts have one more each (the figure leaves the rest
    out).

    Args:
        part: of the mix.
        rows: of each file.

    Returns:
        In the order of the file [rows].
    """
    # of numpy's generators the one whose numbers no version may change: data that was prepared again must be the same
    shuffled = np.random.RandomState(part.seed).permutation(rows)
    found = np.zeros(rows, bool)
    found[np.array_split(shuffled, part.parts)[part.number]] = True
    return found
