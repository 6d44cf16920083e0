"""The sizes of the texts of rows.

Axes: n rows, t texts of a row, m members of all rows. Members are candidates of a query, or sentences of a document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from skill_plugin.text.windows import Counts


@dataclass(frozen=True, eq=False)
class RowSizes:
    """Sizes of rows, in tokens without special tokens, or in characters.

    Attributes:
        texts: the size of each text of every row [t, n].
        members: the sizes of the members of all rows, end to end [m].
        starts: the number of each row's first member, and m at the end [n + 1].
    """

    texts: Counts
    members: Counts
    starts: Counts

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]], members: Sequence[Sequence[int]] = ()) -> RowSizes:
        """Makes it from the sizes of each row's texts (equally many in every row), and of each row's members.

        >>> RowSizes.of([[3, 4], [5, 6]], [[7], [8, 9]]).starts.tolist()
        [0, 1, 3]
        """
        number = len(texts[0]) if texts else 0
        by_text = np.fromiter(chain.from_iterable(texts), np.int64, number * len(texts)).reshape(len(texts), number).T
        if not members:
            return cls.of_texts(by_text)
        flat = [size for row in members for size in row]
        return cls(by_text, np.array(flat, np.int64), np.cumsum([0, *map(len, members)], dtype=np.int64))

    @classmethod
    def of_texts(cls, texts: Counts) -> RowSizes:
        """Makes it for rows without members, from the sizes of their texts [t, n]."""
        return cls(texts, np.zeros(0, np.int64), np.zeros(texts.shape[1] + 1, np.int64))

    @classmethod
    def concatenate(cls, parts: Sequence[RowSizes]) -> RowSizes:
        """Joins several, one after the other. A part without rows may have another number of texts."""
        parts = [part for part in parts if len(part)] or [cls.of(())]
        counts = np.concatenate([np.diff(part.starts) for part in parts])
        return cls(
            np.concatenate([part.texts for part in parts], axis=1),
            np.concatenate([part.members for part in parts]),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        )

    def __len__(self) -> int:
        return len(self.starts) - 1
