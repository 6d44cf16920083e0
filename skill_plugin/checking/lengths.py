"""How long the sequences of a split are, as a few numbers and a histogram; and which sequences a kind reads.

Axis: n sequences.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from skill_plugin.text.sentence_spans import sentence_spans, span_sizes

FIRST_EDGE = 8


@dataclass(frozen=True)
class Histogram:
    """Counts between edges that double, so that sentences and documents fit one scale.

    Attributes:
        edges: 0, 8, 16, 32 and so on, up to the first one above all values.
        counts: of the values from ``edges[i]`` to below ``edges[i + 1]``, one fewer than the edges.
    """

    edges: tuple[int, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, values: Collection[int]) -> Histogram:
        """Of numbers from 0.

        >>> Histogram.of([3, 8, 15, 40])
        Histogram(edges=(0, 8, 16, 32, 64), counts=(1, 2, 0, 1))
        """
        edges = [0, FIRST_EDGE]
        while edges[-1] <= max(values, default=0):
            edges.append(2 * edges[-1])
        counts, _ = np.histogram(np.asarray(list(values), np.int64), edges)
        return cls(tuple(edges), tuple(counts.tolist()))


@dataclass(frozen=True)
class Lengths:
    """Lengths of the sequences of a split, before anything is cut: in characters, or in tokens with special ones.

    Attributes:
        mean, median, p95, maximum: of two middle values ``median`` is the smaller one.
        histogram: of all.
    """

    mean: float
    median: int
    p95: int
    maximum: int
    histogram: Histogram

    @classmethod
    def of(cls, lengths: Collection[int]) -> Lengths | None:
        """None where there is no sequence."""
        ordered = sorted(lengths)
        if not ordered:
            return None
        count = len(ordered)
        median, p95 = ordered[(count - 1) // 2], ordered[(count - 1) * 95 // 100]
        return cls(round(sum(ordered) / count, 1), median, p95, ordered[-1], Histogram.of(ordered))


def sequence_lengths(kind: str, texts: Sequence[int], candidates: Sequence[int], room: int | None = None) -> list[int]:
    """The lengths of what is read together, for one row.

    A query is read with each of its candidates; a document in spans of its sentences (in half of which what is drawn
    from elsewhere is in place of some of them); of the other kinds all texts of a row.

    Args:
        kind: of the corpus.
        texts: length of each text.
        candidates: length of each candidate.
        room: of a sequence, for two texts; None for as much as there is.

    >>> sequence_lengths("ranking", [10], [1, 2]), sequence_lengths("next_sentence", [5, 6, 7, 8], [], 12)
    ([11, 12], [11, 15])
    """
    if kind == "ranking":
        return [sum(texts) + candidate for candidate in candidates]
    if kind == "next_sentence":
        spans = sentence_spans(texts, [0, len(texts)], sum(texts) if room is None else room)
        return [int(size) for size in span_sizes(texts, spans)]
    return [sum(texts)]
