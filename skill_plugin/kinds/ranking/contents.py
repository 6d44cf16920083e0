"""How many candidates queries have, and which relevance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from skill_plugin.checking.contents import Contents
from skill_plugin.errors import counted
from skill_plugin.readers import Example


@dataclass(frozen=True)
class Queries(Contents):
    """Queries and their candidates.

    Attributes:
        queries, candidates: how many.
        fewest, median, most: candidates of a query; of two middle values ``median`` is the smaller one.
        relevance: how many candidates have each relevance, by its number.
        without_relevant: queries whose relevances are known and all 0.
        several_relevant: queries with more than one relevant candidate.
        twice: queries that hold a candidate twice.
    """

    queries: int
    candidates: int
    fewest: int
    median: int
    most: int
    relevance: dict[str, int]
    without_relevant: int
    several_relevant: int
    twice: int

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Queries:
        counts = sorted(len(example.candidates) for example in examples) or [0]
        known = [cast("tuple[int, ...]", example.answer) for example in examples if example.answer is not None]
        relevant = [sum(relevance > 0 for relevance in answer) for answer in known]
        return cls(
            queries=len(examples),
            candidates=sum(counts),
            fewest=counts[0],
            median=counts[(len(counts) - 1) // 2],
            most=counts[-1],
            relevance={str(n): count for n, count in sorted(Counter(n for answer in known for n in answer).items())},
            without_relevant=relevant.count(0),
            several_relevant=sum(count > 1 for count in relevant),
            twice=sum(len(set(example.candidates)) < len(example.candidates) for example in examples),
        )

    def summary(self) -> str:
        found = f"{counted(self.candidates, 'candidate')} ({self.fewest}·{self.median}·{self.most})"
        return found + (f", {self.without_relevant:,} no relevant" if self.without_relevant else "")
