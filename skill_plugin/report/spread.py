"""Values of several runs: their mean, and how far they lie apart."""

from __future__ import annotations

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """Values of several runs, as they are in ``results.json``."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Of the values."""
        return statistics.fmean(self.values)

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation; None for one run, which has none."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None
