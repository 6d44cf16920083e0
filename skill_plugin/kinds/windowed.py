"""Kinds that read one long text through windows, so that none of it is lost.

Axes: n rows of a split, W windows of a row.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skill_plugin.errors import InputError
from skill_plugin.kinds.items import Items, Lengths, Reading
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.store.encoded_row import EncodedRow, Ids
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.windows import window_of, windows

Windows = Sequence[tuple[int, int]]


class WindowedItems(Items):
    """The last text of a row is the long one; a text before it stands in every window.

    Attributes:
        texts: of a row.
        reads_first_token: whether the head reads the first token of every window too.

    Raises:
        InputError: a sequence has no room for a token of the long text.
    """

    split_windows = True
    texts: ClassVar[int] = 1
    reads_first_token: ClassVar[bool] = False

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        special = self.template.special_tokens(self.texts)
        if reading.max_length <= special:
            message = f"corpus {self.corpus.name!r}: the longest sequence has {reading.max_length} tokens"
            raise InputError(f"{message}, expected at least {special + 1}", self.corpus.file, self.corpus.line)

    def lengths(self, split: StoredSplit) -> Lengths:
        special, sizes = self.template.special_tokens(self.texts), split.text_sizes[-1]
        before = np.zeros_like(sizes) if self.texts == 1 else self.kept(split.text_sizes[0])
        room = self.reading.max_length - special - before
        longer = sizes > room
        divided = [self.windows(int(n), int(r)) for n, r in zip(sizes[longer], room[longer], strict=True)]
        counts = np.ones(len(sizes), np.int64)
        counts[longer] = [len(one) for one in divided]
        tokens = np.repeat(sizes, counts)
        tokens[np.repeat(longer, counts)] = [end - start for one in divided for start, end in one]
        return Lengths(tokens + np.repeat(special + before, counts), counts)

    def kept(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of their tokens [n] the texts before the long one keep; they leave room for one of it."""
        raise NotImplementedError

    def windows(self, length: int, room: int) -> list[tuple[int, int]]:
        """[start, end) of the windows of a long text of so many tokens, of which a sequence has room for ``room``."""
        stride = self.corpus.stride
        return windows(length, room, None if stride is None else min(stride, room))

    def row_windows(self, row: EncodedRow) -> list[tuple[int, int]]:
        """The windows of a row's long text."""
        room = self.reading.max_length - self.template.special_tokens(self.texts) - sum(map(len, self._before(row)))
        return self.windows(len(row.texts[-1]), room)

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        chosen, before = self.row_windows(row), self._before(row)
        numbers = range(len(chosen)) if only is None else range(only, only + 1)
        found = []
        for number, tokens in zip(numbers, self.tokens_read(row, chosen, numbers), strict=True):
            start, end = chosen[number]
            assembled = self.template.assemble([*before, row.texts[-1][start:end]], self.reading.max_length)
            units = tokens.astype(np.int64) - start + assembled.ranges[-1][0]
            if self.reads_first_token:
                units = np.concatenate([np.zeros(1, np.int64), units])
            found.append(EncodedSequence(assembled.tokens, assembled.token_types, units))
        return found

    @abstractmethod
    def tokens_read(self, row: EncodedRow, windows: Windows, numbers: range) -> Sequence[NDArray[np.integer]]:
        """Tokens of the long text, counted from its beginning, that the head reads in some of its windows."""

    def _before(self, row: EncodedRow) -> list[Ids]:
        return [text[: int(self.kept(np.array(len(text))))] for text in row.texts[:-1]]


def divide_tokens(tokens: NDArray[np.integer], length: int, windows: Windows) -> NDArray[np.int64]:
    """Divides tokens among windows that overlap, so that each is read once, where it has the most context.

    Args:
        tokens: some tokens of a text, increasing.
        length: tokens of the text.
        windows: W of them, as ``text.windows`` makes them.

    Returns:
        Bounds [W + 1]: ``tokens[bounds[w] : bounds[w + 1]]`` are those of window w.
    """
    owners = window_of(length, windows)[tokens]  # increasing, as the windows are
    return np.searchsorted(owners, np.arange(len(windows) + 1)).astype(np.int64)
