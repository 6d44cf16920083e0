"""How far a model is from another that was run with the same seeds, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skill_plugin.report.bootstrap import bootstrap_interval


@dataclass(frozen=True)
class Difference:
    """The mean of paired differences, and its bootstrap interval, as values are in ``results.json``."""

    mean: float
    low: float
    high: float


def paired_difference(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Difference:
    """The mean difference over runs and corpora with a percentile bootstrap interval.

    Runs are resampled as a whole, and so are corpora: the interval says how far the difference would move with other
    seeds and with other corpora like these. With a single run, or a single corpus, only the other is resampled.

    Args:
        ours, theirs: scores [runs, corpora]; the same row is the same seed, the same column the same corpus.
    """
    differences = ours - theirs
    low, high = bootstrap_interval(
        lambda runs, corpora: differences[runs[:, :, None], corpora[:, None, :]].mean(axis=(1, 2)), *differences.shape
    )
    return Difference(float(differences.mean()), low, high)
