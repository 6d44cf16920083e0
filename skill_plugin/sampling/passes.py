"""Passes over one corpus: each a fresh permutation, cut into batches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
Integers = NDArray[np.integer[Any]]


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
    bounds = [(sequences, batch_size)] if sequences is not None else []
    bounds += [(lengths, max_tokens)] if max_tokens is not None else []
    most = _most_examples(batch_size, sequences)
    ends = _batch_ends([(sizes[order], bound) for sizes, bound in bounds], len(order), most).tolist()
    return [order[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _batch_ends(bounds: Sequence[tuple[Integers, int]], count: int, most: int) -> Indices:
    """Where each of the batches of ``count`` examples ends.

    Args:
        bounds: sizes of the examples, in their order [count], and what those of a batch may add up to.
        count: number of examples.
        most: examples of a batch.
    """
    if not bounds:
        return np.minimum(np.arange(most, count + most, most, dtype=np.int64), count)
    totals = [(_totals(sizes), bound) for sizes, bound in bounds]
    ends: list[int] = []
    start = 0
    if len(totals) == 1:  # this line is most of what planning a large epoch costs: no loop over bounds, no limits
        ((total, bound),) = totals
        while start < count - most:
            ends.append(start := bisect_right(total, total[start] + bound, start + 2, start + most + 1) - 1)
    while start < count:
        places = min(start + 2, count + 1), min(start + most, count) + 1
        start = min(bisect_right(total, total[start] + bound, *places) for total, bound in totals) - 1
        ends.append(start)
    return np.array(ends, np.int64)


def _totals(sizes: Integers) -> memoryview:
    """What the sizes before each place add up to, and all of them [count + 1].

    Single numbers are taken from memory sooner than from an array, and a list of them all would be five times as large.
    """
    totals = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, dtype=np.int64, out=totals[1:])
    return totals.data


def _most_examples(batch_size: int, sequences: Integers | None) -> int:
    """Examples of a batch, from the sequences that it has."""
    empty = sequences is not None and int((sequences == 0).sum())
    return batch_size + empty


class Passes:
    """The endless stream of one corpus's batches: pass after pass, each without replacement.

    A place in the stream is the number of examples before it, so that the pass and the place in it follow at once.

    Args:
        lengths: tokens of every example [n].
        batch_size, max_tokens, sequences: as in ``cut_batches``.
        seed: seed of this corpus; the stream is a function of it and of the arguments above.

    Attributes:
        size: number of examples.
    """

    def __init__(
        self,
        lengths: Indices,
        batch_size: int,
        max_tokens: int | None,
        seed: tuple[int, ...],
        sequences: Indices | None = None,
    ) -> None:
        self.batch_size, self.seed, self.size = batch_size, seed, len(lengths)
        several = sequences is not None and not (sequences == 1).all()
        self._bounds = [(_compact(sequences), batch_size)] if sequences is not None and several else []
        self._most = _most_examples(batch_size, sequences)
        self._type: type[np.integer[Any]] = np.int32 if len(lengths) <= np.iinfo(np.int32).max else np.int64
        # where it bounds nothing, all passes have equally many batches
        if max_tokens is not None and (several or _most_together(lengths, batch_size) > max_tokens):
            self._bounds.append((_compact(lengths), max_tokens))

    @property
    def bounded(self) -> bool:
        """Whether how many examples a batch has depends on which they are."""
        return bool(self._bounds)

    @cached_property
    def in_order(self) -> int:
        """How many batches the examples make in their own order."""
        return len(_batch_ends(self._bounds, self.size, self._most))

    def batches_of_pass(self, number: int, used: int = 0) -> tuple[Integers, Indices]:
        """The batches of a pass, or of what is left of it.

        Args:
            number: number of the pass, counted from 0.
            used: number of its examples that are left out; a batch begins behind them.

        Returns:
            Indices of their examples, batch after batch, int32 where that suffices [m], and where each batch ends
            in them [number of batches].
        """
        order = self._permutation(number)[used:]
        return order, self._ends(order)

    def skip(self, place: int, count: int) -> int:
        """The place after ``count`` batches that follow a place."""
        if count == 0:
            return place
        if self.bounded:
            while count:
                ends = self.batches_of_pass(*divmod(place, self.size))[1][:count]
                place, count = place + int(ends[-1]), count - len(ends)
            return place
        number, used = divmod(place, self.size)
        number, batch = divmod(number * self.in_order + used // self.batch_size + count, self.in_order)
        return number * self.size + batch * self.batch_size

    def _permutation(self, number: int) -> Integers:
        """The order of the examples in a pass."""
        order: Integers = np.arange(self.size).astype(self._type)
        np.random.default_rng([*self.seed, number]).shuffle(order)
        return order

    def _ends(self, order: Integers) -> Indices:
        return _batch_ends([(sizes[order], bound) for sizes, bound in self._bounds], len(order), self._most)


def _compact(sizes: Indices) -> Integers:
    """The same numbers in the smallest type: they are read in the order of every pass."""
    return sizes.astype(np.min_scalar_type(sizes.max(initial=0)))


def _most_together(lengths: Indices, count: int) -> int:
    """The most tokens that so many examples have together."""
    rest = max(0, len(lengths) - count)
    return int((np.partition(lengths, rest)[rest:] if rest else lengths).sum())
