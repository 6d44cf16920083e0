"""How long the sequences of a split are, as a few numbers and a histogram.

Axis: n sequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example_rows import ExampleBlock
from skill_plugin.readers.text_columns import TextColumns
from skill_plugin.spec import Corpus

FIRST_EDGE = 8


@dataclass(frozen=True)
class Histogram:
    """A histogram whose bins double in width, so that sentences and documents fit one scale.

    Attributes:
        edges: 0, 8, 16, 32 and so on, up to the first number above all values.
        counts: how many values lie from ``edges[i]`` to below ``edges[i + 1]``; one fewer than the edges.
    """

    edges: tuple[int, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, values: npt.ArrayLike) -> Histogram:
        """Makes it from numbers that are 0 or more [n].

        >>> Histogram.of([3, 8, 15, 40])
        Histogram(edges=(0, 8, 16, 32, 64), counts=(1, 2, 0, 1))
        """
        numbers, edges = np.asarray(values, np.int64), [0, FIRST_EDGE]
        while edges[-1] <= numbers.max(initial=0):
            edges.append(2 * edges[-1])
        counts, _ = np.histogram(numbers, edges)
        return cls(tuple(edges), tuple(counts.tolist()))


@dataclass(frozen=True)
class LengthSummary:
    """A summary of the lengths of sequences before anything is cut, in characters, or in tokens with special tokens.

    Attributes:
        mean, median, p95, maximum: statistics of the lengths; ``median`` is the smaller one of two middle values.
        histogram: the histogram of all lengths.
    """

    mean: float
    median: int
    p95: int
    maximum: int
    histogram: Histogram

    @classmethod
    def of(cls, lengths: npt.ArrayLike) -> LengthSummary | None:
        """Makes it from lengths [n]; None if there are none."""
        ordered = np.sort(np.asarray(lengths, np.int64))
        count = len(ordered)
        if not count:
            return None
        median, p95, longest = (int(ordered[at]) for at in ((count - 1) // 2, (count - 1) * 95 // 100, -1))
        return cls(round(int(ordered.sum()) / count, 1), median, p95, longest, Histogram.of(ordered))


class SequenceCharacters:
    """Counts the characters of the sequences of a split before anything is cut, block by block."""

    def __init__(self, corpus: Corpus) -> None:
        self._rule = kind_named(corpus.kind).sequence_rule(corpus)
        self._parts: list[npt.NDArray[np.int32]] = []

    def add(self, block: ExampleBlock) -> None:
        texts, candidates = _text_sizes(block.texts), _text_sizes(block.candidates or ())
        self._parts.append(self._rule.uncut(self._rule.sizes(texts, candidates)).tokens.astype(np.int32))

    def summary(self) -> LengthSummary | None:
        return LengthSummary.of(np.concatenate(self._parts)) if self._parts else None


def _text_sizes(rows: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
    """The characters of the texts of each row."""
    if isinstance(rows, TextColumns):
        return list(zip(*(map(len, column) for column in rows.columns), strict=True))
    return [tuple(map(len, row)) for row in rows]
