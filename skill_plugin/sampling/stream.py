"""The batches of one corpus from some place on, each made when it is asked for."""

from __future__ import annotations

from bisect import bisect_right
from threading import Lock

from skill_plugin.sampling.passes import Indices, Integers, Passes


class Stream:
    """A pass is drawn when the first of its batches is asked for; an example of it takes 4 bytes, and a batch 8.

    Args:
        passes: of the corpus.
        place: number of examples before the first batch; a batch begins there.
    """

    def __init__(self, passes: Passes, place: int) -> None:
        self._passes, self._place = passes, place
        self._parts: list[tuple[Integers, Indices]] = []  # as of ``Passes.batches_of_pass``
        self._firsts = [0]  # how many batches come before each part, and the next one
        self._places = [place]  # how many examples of the stream do
        self._lock = Lock()  # a loader's thread reads ahead

    def __getitem__(self, number: int) -> Integers:
        """The examples of the batch with this number, counted from 0."""
        part, batch = self._find(number)
        examples, ends = self._parts[part]
        return examples[ends[batch - 1] if batch else 0 : ends[batch]]

    def place_after(self, count: int) -> int:
        """The number of examples of the stream up to the end of so many batches."""
        if not count or not self._passes.bounded:
            return self._passes.skip(self._place, count)
        part, batch = self._find(count - 1)
        return self._places[part] + int(self._parts[part][1][batch])

    def _find(self, number: int) -> tuple[int, int]:
        """The number of the part of a batch, and the batch's in it."""
        with self._lock:
            while number >= self._firsts[-1]:
                examples, ends = self._passes.batches_of_pass(*divmod(self._places[-1], self._passes.size))
                self._parts.append((examples, ends))
                self._firsts.append(self._firsts[-1] + len(ends))
                self._places.append(self._places[-1] + len(examples))
        part = bisect_right(self._firsts, number) - 1
        return part, number - self._firsts[part]
