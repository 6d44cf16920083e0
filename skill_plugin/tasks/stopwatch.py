"""Measures where the time of a run goes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from skill_plugin.report.time_spent import TimeSpent

Part = Literal["validation", "checkpoints"]


class Stopwatch:
    """Runs from when it is made; what is no other part is training."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._seconds: dict[Part, float] = {"validation": 0.0, "checkpoints": 0.0}

    @contextmanager
    def during(self, part: Part) -> Iterator[None]:
        """Counts a block as a part, whether or not it ends well. Blocks are not nested."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._seconds[part] += time.monotonic() - began

    def spent(self) -> TimeSpent:
        """The time so far."""
        rest = time.monotonic() - self._began - sum(self._seconds.values())
        return TimeSpent(training=rest, **self._seconds)
