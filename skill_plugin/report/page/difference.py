"""How far the scores of some runs are from those of others, and whether that may be chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from skill_plugin.report.bootstrap import LEVEL, bootstrap_interval
from skill_plugin.report.t_test import t_test

Verdict = Literal["better", "worse", "no clear difference", "one run each"]


@dataclass(frozen=True)
class Difference:
    """A difference of means, ours less theirs.

    Attributes:
        value: the difference.
        low, high: its bootstrap interval; None where there are too few runs for one.
        p: the probability of such a difference between runs that do not differ, by Student's t-test; None without one.
        paired: whether the n-th run is compared with the n-th baseline.
        lower_is_better: whether less is better.
    """

    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    paired: bool = False
    lower_is_better: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether neither the interval nor the test leave it to chance.

        The interval alone would not do: of three seeds it is as wide as their differences are apart, and without any
        true difference one in four would not cover 0.
        """
        if self.low is None or self.high is None or self.p is None:
            return False
        return (self.low > 0 or self.high < 0) and self.p < 1 - LEVEL

    @property
    def verdict(self) -> Verdict:
        """In a word."""
        if self.low is None:
            return "one run each"
        if not self.is_clear:
            return "no clear difference"
        return "better" if (self.value > 0) != self.lower_is_better else "worse"


def difference(
    ours: Sequence[float], theirs: Sequence[float], lower_is_better: bool = False, paired: bool = True
) -> Difference:
    """The difference of the means of two sets of runs, at least one each.

    Args:
        ours: scores of the runs.
        theirs: scores of the baselines.
        lower_is_better: whether less is better.
        paired: whether those at the same place belong together, as runs with the same seed do, where they are as many.
    """
    value = float(np.mean(ours) - np.mean(theirs))
    paired = paired and len(ours) == len(theirs)
    if min(len(ours), len(theirs)) < 2:
        return Difference(value, paired=paired, lower_is_better=lower_is_better)
    first, second = np.asarray(ours), np.asarray(theirs)
    samples = [first - second] if paired else [first, -second]
    low, high = bootstrap_interval(
        lambda *chosen: sum(sample[rows].mean(axis=1) for sample, rows in zip(samples, chosen, strict=True)),
        *map(len, samples),
    )
    return Difference(value, low, high, t_test(ours, theirs, paired), paired, lower_is_better)
