"""Items with one long text that is read through several windows, so that none of it is lost.

Axes: W windows of a row.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skill_plugin.kinds.items import Items
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.sequences.windowed_text import WindowedText
from skill_plugin.text.windows import choose_windows

Windows = Sequence[tuple[int, int]]


class WindowedItems(Items):
    """The last text of a row is the long one. The texts before it stand in every window.

    Attributes:
        reads_first_token: whether the head also reads the first token of every window.
    """

    split_windows = True
    reads_first_token: ClassVar[bool] = False
    rule: WindowedText

    def row_windows(self, row: EncodedRow) -> Windows:
        """The windows of a row's long text, as [start, end)."""
        return self.rule.row_windows([len(text) for text in row.texts])

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        chosen, kept = self.row_windows(row), self.rule.kept(np.array([len(text) for text in row.texts[:-1]], np.int64))
        before = [text[:length] for text, length in zip(row.texts[:-1], kept.tolist(), strict=True)]
        numbers = range(len(chosen)) if only is None else range(only, only + 1)
        found = []
        for number, tokens in zip(numbers, self.tokens_read(row, chosen, numbers), strict=True):
            start, end = chosen[number]
            assembled = self.template.assemble([*before, row.texts[-1][start:end]])
            units = tokens.astype(np.int64) - start + assembled.ranges[-1][0]
            if self.reads_first_token:
                units = np.concatenate([np.zeros(1, np.int64), units])
            found.append(EncodedSequence(assembled.tokens, assembled.token_types, units))
        return found

    @abstractmethod
    def tokens_read(self, row: EncodedRow, windows: Windows, numbers: range) -> Sequence[NDArray[np.integer]]:
        """The tokens that the head reads in some of the windows, counted from the beginning of the long text."""


def divide_tokens(tokens: NDArray[np.integer], length: int, windows: Windows) -> NDArray[np.int64]:
    """Divides tokens among windows that overlap, so that each is read once, where it has the most context.

    Args:
        tokens: some tokens of a text, increasing.
        length: the number of tokens of the text.
        windows: its W windows, as ``text.windows.divide_text`` makes them.

    Returns:
        Bounds [W + 1]: ``tokens[bounds[w] : bounds[w + 1]]`` are read in window w.
    """
    owners = choose_windows(length, windows)[tokens]  # increasing, as the windows are
    return np.searchsorted(owners, np.arange(len(windows) + 1)).astype(np.int64)
