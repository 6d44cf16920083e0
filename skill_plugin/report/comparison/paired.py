"""How far a model is from another that was run with the same seeds, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skill_plugin.report.bootstrap import bootstrap_interval


@dataclass(frozen=True)
class Difference:
    """A paired difference, and its bootstrap interval, as values are in ``results.json``.

    Attributes:
        mean: of the runs.
        low, high: the interval.
        runs, corpora: how many pairs of runs it is of, and how many corpora or other entries of each.
    """

    mean: float
    low: float
    high: float
    runs: int
    corpora: int


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
    return Difference(float(differences.mean()), low, high, *differences.shape)


def paired_deviation_difference(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Difference:
    """The mean over runs of how much further apart the entries of ours are, as a sample standard deviation.

    Runs and entries are resampled as ``paired_difference`` does.

    Args:
        ours, theirs: scores [runs, entries], two entries or more; rows and columns as there.
    """

    def spread(scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return scores.std(axis=-1, ddof=1).mean(axis=-1)  # type: ignore[no-any-return]

    def resampled(runs: NDArray[np.int64], entries: NDArray[np.int64]) -> NDArray[np.float64]:
        taken = runs[:, :, None], entries[:, None, :]
        return spread(ours[taken]) - spread(theirs[taken])

    low, high = bootstrap_interval(resampled, *ours.shape)
    return Difference(float(spread(ours) - spread(theirs)), low, high, *ours.shape)
