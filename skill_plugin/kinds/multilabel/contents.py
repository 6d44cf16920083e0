"""How many labels rows have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skill_plugin.checking.contents import Contents
from skill_plugin.readers import Example
from skill_plugin.readers.example import label_names


@dataclass(frozen=True)
class LabelSets(Contents):
    """Rows and their labels.

    Attributes:
        rows: with an answer.
        without_label: rows whose answer is that no label applies.
        mean: labels of a row with an answer.
        most: labels of one row.
    """

    rows: int
    without_label: int
    mean: float
    most: int

    @classmethod
    def of(cls, examples: Sequence[Example]) -> LabelSets:
        counts = [len(label_names(example)) for example in examples if example.answer is not None]
        return cls(len(counts), counts.count(0), round(sum(counts) / max(len(counts), 1), 3), max(counts, default=0))

    def summary(self) -> str:
        return f"{self.without_label:,} without" if self.without_label else ""
