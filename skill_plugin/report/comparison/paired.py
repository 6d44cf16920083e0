"""How far a model is from another that was run with the same seeds, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skill_plugin.report.bootstrap import bootstrap_interval
from skill_plugin.report.t_test import t_test


@dataclass(frozen=True)
class Difference:
    """A paired difference, and its bootstrap interval, as values are in ``results.json``.

    Attributes:
        mean: of the runs.
        low, high: the interval.
        runs, corpora: how many pairs of runs it is of, and how many corpora or other entries of each.
        p: the probability of such a difference between models that do not differ, by Student's t-test over runs; None
            for a single one.
    """

    mean: float
    low: float
    high: float
    runs: int
    corpora: int
    p: float | None = None


def paired_difference(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Difference:
    """The mean difference over runs and corpora with a percentile bootstrap interval.

    Runs are resampled as a whole, and so are corpora: the interval says how far the difference would move with other
    seeds and with other corpora like these. With a single run, or a single corpus, only the other is resampled. Where
    seeds differ more than corpora, the interval of three of them does not cover 0 for one pair in four of models that
    do not differ: a difference is clear where the t-test says so too.

    Args:
        ours, theirs: scores [runs, corpora]; the same row is the same seed, the same column the same corpus.
    """
    differences = ours - theirs
    low, high = bootstrap_interval(
        lambda runs, corpora: differences[runs[:, :, None], corpora[:, None, :]].mean(axis=(1, 2)), *differences.shape
    )
    p = t_test(ours.mean(axis=1), theirs.mean(axis=1), paired=True)
    return Difference(float(differences.mean()), low, high, len(differences), differences.shape[1], p)


def paired_deviation_difference(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Difference:
    """The mean over runs of how much further apart the entries of ours are, as a sample standard deviation.

    Runs and entries are resampled as ``paired_difference`` does.

    Args:
        ours, theirs: scores [runs, entries], two entries or more; rows and columns as there.
    """

    def spread(scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(scores.std(axis=-1, ddof=1))

    def resampled(runs: NDArray[np.int64], entries: NDArray[np.int64]) -> NDArray[np.float64]:
        taken = runs[:, :, None], entries[:, None, :]
        return np.asarray((spread(ours[taken]) - spread(theirs[taken])).mean(axis=-1))

    low, high = bootstrap_interval(resampled, *ours.shape)
    mean = float((spread(ours) - spread(theirs)).mean())
    p = t_test(spread(ours), spread(theirs), paired=True)
    return Difference(mean, low, high, len(ours), ours.shape[1], p)
