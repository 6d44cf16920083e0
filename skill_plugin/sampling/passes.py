"""Passes over one corpus: each a fresh permutation, cut into batches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def cut_batches(
    order: Indices,
    lengths: Indices,
    batch_size: int,
    max_tokens: int | None,
    sequences: Indices | None = None,
) -> list[Indices]:
    """Consecutive batches of at most ``batch_size`` sequences and ``max_tokens`` tokens; a larger example is alone.

    Args:
        order: indices of examples [n].
        lengths: tokens of every example of the corpus.
        batch_size: sequences.
        max_tokens: real tokens; None for no bound.
        sequences: number of sequences of every example of the corpus (a query with its candidates has many); None = one
            each.
    """
    if max_tokens is None and sequences is None:
        return [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
    bounds = [(sequences, batch_size)] if sequences is not None else []
    bounds += [(lengths, max_tokens)] if max_tokens is not None else []
    # lists, in which bisect finds a place ten times as fast as numpy in an array: plans walk through many passes
    totals = [([0, *np.cumsum(sizes[order]).tolist()], bound) for sizes, bound in bounds]
    batches, start = [], 0
    while start < len(order):
        end = len(order) if sequences is not None else min(start + batch_size, len(order))
        for total, bound in totals:
            end = bisect_right(total, total[start] + bound, start, end + 1) - 1
        end = max(start + 1, end)
        batches.append(order[start:end])
        start = end
    return batches


class Passes:
    """The endless stream of one corpus's batches: pass after pass, each without replacement.

    Args:
        lengths: tokens of every example [n].
        batch_size, max_tokens, sequences: as in ``cut_batches``.
        seed: seed of this corpus; the stream is a function of it and of the arguments above.
    """

    def __init__(
        self,
        lengths: Indices,
        batch_size: int,
        max_tokens: int | None,
        seed: tuple[int, ...],
        sequences: Indices | None = None,
    ) -> None:
        self.lengths, self.batch_size, self.max_tokens, self.seed = lengths, batch_size, max_tokens, seed
        self.sequences = None if sequences is None or (sequences == 1).all() else sequences
        if max_tokens is not None and self.sequences is None and self._most_tokens() <= max_tokens:
            self.max_tokens = None  # it bounds nothing, and without it all passes have equally many batches

    def _most_tokens(self) -> int:
        """The most tokens that ``batch_size`` examples have together."""
        rest = max(0, len(self.lengths) - self.batch_size)
        return int((np.partition(self.lengths, rest)[rest:] if rest else self.lengths).sum())

    def batches_of_pass(self, number: int) -> list[Indices]:
        """The batches of one pass."""
        order = np.random.default_rng([*self.seed, number]).permutation(len(self.lengths)).astype(np.int64)
        return self._cut(order)

    def in_order(self) -> list[Indices]:
        """The batches of all examples in their own order."""
        return self._cut(np.arange(len(self.lengths), dtype=np.int64))

    def _cut(self, order: Indices) -> list[Indices]:
        return cut_batches(order, self.lengths, self.batch_size, self.max_tokens, self.sequences)

    def batches(self, start: int, count: int) -> list[Indices]:
        """Batches ``start`` to ``start + count`` of the stream."""
        if count == 0:
            return []
        found: list[Indices] = []
        for first, batches in self._from(start):
            found += batches[max(start - first, 0) :]
            if len(found) >= count:
                break
        return found[:count]

    def _from(self, start: int) -> Iterator[tuple[int, list[Indices]]]:
        """Passes with the number of their first batch, beginning at one that does not come after ``start``."""
        number, first = 0, 0
        if (
            self.max_tokens is None and self.sequences is None
        ):  # all passes are equally long: no need to walk through them
            length = -(-len(self.lengths) // self.batch_size)
            number, first = start // length, start // length * length
        while True:
            batches = self.batches_of_pass(number)
            if first + len(batches) > start:
                yield first, batches
            number, first = number + 1, first + len(batches)
