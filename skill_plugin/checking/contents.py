"""What the rows of a split hold beside their labels: answers above all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Contents(ABC):
    """What is counted, as plain values: the report of ``check --json`` has them as they are."""

    @abstractmethod
    def summary(self) -> str:
        """For the table; empty where there is nothing to say."""

    def named(self, labels: Mapping[str, int]) -> tuple[Mapping[str, int], str]:
        """What is listed behind the summary, with how often it occurs, and what it is: the labels, unless others say
        more."""
        return labels, "labels"
