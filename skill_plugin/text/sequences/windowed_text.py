"""Rows with a long text that is read through several windows, so that none of it is lost.

Axes: n rows, b texts before the long one, S windows of all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from skill_plugin.text.sequences.row_sizes import RowSizes
from skill_plugin.text.sequences.sequence_rule import SequenceLengths, SequenceRule, one_each
from skill_plugin.text.windows import Counts, WindowBounds, divide_text, divide_texts


class WindowedText(SequenceRule):
    """A row becomes one sequence for each window of its last text. The texts before it stand in every sequence.

    Attributes:
        overlapping: what windows do if the corpus has no stride: begin half a window apart (true), or not overlap.
    """

    windowed = True
    overlapping: ClassVar[bool] = True

    @property
    def texts(self) -> int:
        return 1

    @property
    def most_before(self) -> int:
        """The most tokens that a text before the long one keeps; half of the room or more is the long text's."""
        return 0

    def kept(self, before: Counts) -> Counts:
        """How many tokens the texts before the long one keep: [b, n], or [b] for one row."""
        return np.minimum(before, min(self.most_before, self.room // 2))

    def windows(self, sizes: RowSizes) -> WindowBounds:
        """The windows of the long texts."""
        room = self.room - self.kept(sizes.texts[:-1]).sum(axis=0)
        return divide_texts(sizes.texts[-1:].sum(axis=0), room, self._stride(room))

    def row_windows(self, sizes: Sequence[int]) -> Sequence[tuple[int, int]]:
        """The windows of one row, as [start, end), from the sizes of its texts."""
        *before, length = sizes
        room = self.room - int(self.kept(np.array(before, np.int64)).sum())
        stride = self._stride(room)
        return divide_text(length, room, None if stride is None else int(stride))

    def _stride(self, room: npt.ArrayLike) -> npt.NDArray[np.int64] | None:
        stride = self.corpus.stride or (None if self.overlapping else self.room)
        return None if stride is None else np.minimum(stride, room)

    def uncut(self, sizes: RowSizes) -> SequenceLengths:
        return SequenceLengths(sizes.texts.sum(axis=0) + self.special, one_each(len(sizes)))

    def lengths(self, sizes: RowSizes) -> SequenceLengths:
        found = self.windows(sizes)
        beside = np.repeat(self.kept(sizes.texts[:-1]).sum(axis=0) + self.special, found.counts)
        return SequenceLengths(found.ends - found.starts + beside, found.counts)

    def losing(self, sizes: RowSizes) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = np.any(self.kept(sizes.texts[:-1]) < sizes.texts[:-1], axis=0)
        return found

    def in_windows(self, sizes: RowSizes) -> npt.NDArray[np.bool_]:
        return self.windows(sizes).counts > 1
