"""``--patience``: validations without a better score, counted over all of a run's stops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class EarlyStopping:
    """How long the value by which checkpoints are chosen has not become better.

    As fairseq counts it: better is strictly better, and validations count with ``--patience`` alone.

    Attributes:
        best: the best value; None before the first.
        since: validations after it.
    """

    def __init__(self) -> None:
        self.best: float | None = None
        self.since = 0

    def validated(self, value: float, higher: bool) -> None:
        """Takes note of a validation.

        Args:
            value: of ``--best-checkpoint-metric``.
            higher: whether a higher one is better.
        """
        if self.best is None or (value > self.best if higher else value < self.best):
            self.best, self.since = value, 0
        else:
            self.since += 1

    def to_state(self) -> dict[str, Any]:
        """What a checkpoint keeps: plain values."""
        return {"best": None if self.best is None else float(self.best), "since": self.since}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Goes on from ``to_state``."""
        self.best, self.since = state["best"], int(state["since"])
