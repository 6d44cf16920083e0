"""Kinds that read one long text through windows, so that none of it is lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skill_plugin.data.items.items import Items, text_windows
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.store.encoded_row import EncodedRow, Ids
from skill_plugin.store.stored_split import StoredSplit


class WindowedItems(Items):
    """The last text of a row is the long one; a text before it stands in every window."""

    split_windows = True
    first_unit = 0

    def lengths(self, split: StoredSplit) -> list[NDArray[np.int64]] | NDArray[np.int64]:
        """Tokens of each window."""
        special = self.template.special_tokens(len(split.texts))
        before = self.kept(split.text_sizes[0]) if len(split.texts) > 1 else np.zeros(len(split), np.int64)
        room = self.reading.max_length - special - before
        sizes = split.text_sizes[-1]
        if (sizes <= room).all():
            return sizes + special + before
        return [
            np.array([end - start for start, end in self.windows(int(n), int(r))], np.int64) + special + int(b)
            for n, r, b in zip(sizes, room, before, strict=True)
        ]

    def kept(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Tokens that the text before the long one keeps."""
        return sizes

    def windows(self, length: int, room: int) -> list[tuple[int, int]]:
        """Windows of a long text of so many tokens."""
        return text_windows(length, room, self.corpus.stride)

    def row_windows(self, row: EncodedRow) -> list[tuple[int, int]]:
        """The windows of a row's long text."""
        return self.windows(len(row.texts[-1]), self._room(row))

    def sequences(self, row: EncodedRow, only: int | None = None) -> list[EncodedSequence]:
        windows = self.row_windows(row)
        found = []
        for number in range(len(windows)) if only is None else (only,):
            start, end = windows[number]
            texts = [*self._before(row), row.texts[-1][start:end]]
            assembled = self.template.assemble(texts, self.reading.max_length)
            units = self.units(row, windows, number, assembled.ranges[-1][0])
            found.append(EncodedSequence(assembled.tokens, assembled.token_types, units))
        return found

    def units(self, row: EncodedRow, windows: Sequence[tuple[int, int]], number: int, at: int) -> NDArray[np.int64]:
        """Positions in a window's sequence that the head reads; the window's text begins at ``at``."""
        raise NotImplementedError

    def _before(self, row: EncodedRow) -> list[Ids]:
        return [text[: int(self.kept(np.array(len(text))))] for text in row.texts[:-1]]

    def _room(self, row: EncodedRow) -> int:
        return self.reading.max_length - self.template.special_tokens(len(row.texts)) - sum(map(len, self._before(row)))
