"""How far a number would move if what it was measured on were drawn again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
LEVEL = 0.95
_SEED = 1  # so that a table can be made again


def bootstrap_interval(statistic: Callable[..., NDArray[np.float64]], *sizes: int) -> tuple[float, float]:
    """The percentile bootstrap interval of a statistic, of probability ``LEVEL``.

    Unlike ``scipy.stats.bootstrap`` it takes samples of one, which stay as they are.

    Args:
        statistic: of resamples, given as one array of indices [R, n] for each of ``sizes``; gives one value each [R].
        sizes: sizes n of the samples, which are resampled independently.
    """
    draw = np.random.default_rng(_SEED)
    values = statistic(*(draw.integers(size, size=(RESAMPLES, size)) for size in sizes))
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
