"""What ``check`` says of queries and their candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import repeat

from skill_plugin.checking.row_findings import RowFindings, RowNotice
from skill_plugin.kinds.ranking.contents import Queries
from skill_plugin.readers import Example


class RankingFindings(RowFindings):
    """A row asks about each of its candidates; their order does not count."""

    row = "query"
    rows = "queries"
    conflict = "have a candidate of the same query with another relevance"
    overlap = "have a candidate that train has for the same query"

    def contents(self, examples: Sequence[Example], labels: Sequence[str]) -> Queries:
        return Queries.of(examples)

    def note_rows(self, examples: Sequence[Example], labels: Sequence[str]) -> Iterator[RowNotice]:
        count, first = 0, None
        for example in examples:
            if len(set(example.candidates)) < len(example.candidates):
                count, first = count + 1, first or example
        if first is not None:
            yield first, f"queries that hold a candidate twice: {count:,}, the first one here"

    def claims(self, example: Example) -> Sequence[tuple[Hashable, Hashable]]:
        relevance: Iterable[Hashable] = repeat(None) if example.answer is None else example.answer  # type: ignore[assignment]
        return list(zip(self.keys(example), relevance, strict=False))

    def identity(self, example: Example) -> Hashable:
        return example.texts, frozenset(Counter(self.claims(example)).items())

    def keys(self, example: Example) -> Sequence[Hashable]:
        return [(example.texts, candidate) for candidate in example.candidates]
