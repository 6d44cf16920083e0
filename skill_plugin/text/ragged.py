"""Arrays of different lengths, end to end: a thousand texts as ids without a thousand objects.

Axes: n arrays, T numbers of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from skill_plugin.text.tokenizer import IntArray


@dataclass(frozen=True, eq=False)
class Ragged:
    """Arrays of different lengths.

    Attributes:
        flat: int32 [T].
        lengths: int32 [n], which add up to T.
    """

    flat: IntArray
    lengths: IntArray

    @classmethod
    def of(cls, arrays: Sequence[IntArray]) -> Ragged:
        """The arrays, of whole numbers of any type.

        Raises:
            TypeError: an array holds other numbers, whose decimal places would be lost.
        """
        flat = np.concatenate([np.zeros(0, np.int32), *arrays], dtype=np.int32)
        return cls(flat, np.array([len(array) for array in arrays], np.int32))

    @classmethod
    def of_lists(cls, lists: Sequence[Sequence[int]]) -> Ragged:
        """The arrays of lists of numbers, which are made int32."""
        lengths = np.array([len(row) for row in lists], np.int32)
        return cls(np.fromiter(chain.from_iterable(lists), np.int32, int(lengths.sum())), lengths)

    def split(self) -> list[IntArray]:
        """The arrays, int32, as views."""
        ends = np.cumsum(self.lengths).tolist()
        return [self.flat[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def take(self, numbers: Iterable[int], count: int) -> Ragged:
        """The arrays with these numbers, ``count`` in all."""
        rows = np.fromiter(numbers, np.int64, count)
        starts, lengths = (np.cumsum(self.lengths, dtype=np.int64) - self.lengths)[rows], self.lengths[rows]
        before = np.cumsum(lengths, dtype=np.int64) - lengths
        return Ragged(self.flat[np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))], lengths)

    def mapped(self, table: IntArray) -> Ragged:
        """The arrays with ``table[number]`` in place of each number."""
        return Ragged(table[self.flat], self.lengths)

    def with_end(self, symbol: int) -> Ragged:
        """The arrays with a symbol behind each."""
        return Ragged(np.insert(self.flat, np.cumsum(self.lengths), symbol), self.lengths + np.int32(1))
