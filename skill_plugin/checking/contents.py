"""What is counted in the rows of a split besides labels, above all answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Contents(ABC):
    """The counts of a split; its fields are plain values, which ``check --json`` writes as they are."""

    @abstractmethod
    def summary(self) -> str:
        """A few words for the table; empty if there is nothing to say."""

    def named(self, labels: Mapping[str, int]) -> tuple[Mapping[str, int], str]:
        """What the table lists after the summary.

        Args:
            labels: how often each label occurs.

        Returns:
            How often each listed name occurs, and what the names are called; by default the labels.
        """
        return labels, "labels"
