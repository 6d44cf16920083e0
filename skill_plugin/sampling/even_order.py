"""An order of rows of which every beginning holds what the whole does, in the same shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def even_order(strata: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Orders rows at random, with those of each stratum spread evenly (systematic sampling).

    The rows of a stratum of m rows stand at (u + 0) / m, (u + 1) / m …, where u from 0 to 1 is drawn for each stratum:
    of those up to any point t there are less than one more or less than t m, and each row is as likely as any other
    to be among the first, however few are like it.

    Args:
        strata: what each row is of, from 0 [n].
        seed: of the order within strata and of each u.

    Returns:
        Numbers of rows [n].
    """
    random = np.random.default_rng(seed)
    shuffled = random.permutation(len(strata))
    by_stratum = shuffled[np.argsort(strata[shuffled], kind="stable")]
    counts = np.bincount(strata, minlength=1)
    starts = np.cumsum(counts) - counts
    of = strata[by_stratum]
    places = (np.arange(len(strata)) - starts[of] + random.random(len(counts))[of]) / counts[of]
    return np.asarray(by_stratum[np.argsort(places, kind="stable")], np.int64)
