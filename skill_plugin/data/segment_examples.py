"""The examples of a segment: what is read of one corpus for one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from skill_plugin.data.corpus_examples import CorpusExample
from skill_plugin.nn.active_set import ActiveSet


@dataclass(frozen=True, eq=False)
class SegmentExamples:
    """Examples of one corpus, which form a segment of a pack.

    Attributes:
        corpus: its index among all corpora of the run.
        active: what it activates.
        head: name of its head.
        numbers: the numbers that the examples have in the dataset [n].
        examples: n of them, at least one.
    """

    corpus: int
    active: ActiveSet
    head: str
    numbers: NDArray[np.int64]
    examples: Sequence[CorpusExample]

    def __len__(self) -> int:
        return len(self.examples)

    @property
    def sequences(self) -> NDArray[np.int64]:
        """Sequences of each example [n]."""
        return np.array([len(example.sequences) for example in self.examples])

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each example, with those of its targets [n]."""
        return np.array([sum(one.size for one in example.sequences) for example in self.examples])

    @property
    def units(self) -> list[int]:
        """Units of each example that the head reads, n numbers."""
        return [sum(len(one.units) for one in example.sequences) for example in self.examples]

    def asked(self) -> SegmentExamples:
        """The examples as a model is asked about them."""
        return replace(self, examples=[replace(example, sequences=example.asked) for example in self.examples])

    def take(self, indices: NDArray[np.int64]) -> SegmentExamples:
        """Some of the examples."""
        examples = [self.examples[i] for i in indices.tolist()]
        return SegmentExamples(self.corpus, self.active, self.head, self.numbers[indices], examples)


def take(segments: Sequence[SegmentExamples], indices: NDArray[np.int64]) -> list[SegmentExamples]:
    """Some of the examples of segments, which are numbered through, in order; an empty segment is left out.

    Args:
        segments: with m examples together.
        indices: below m, increasing.
    """
    ends = np.cumsum([len(segment) for segment in segments])
    shares = np.split(indices, np.searchsorted(indices, ends[:-1]))
    return [
        segment.take(share - (end - len(segment)))
        for segment, end, share in zip(segments, ends, shares, strict=True)
        if len(share)
    ]
