"""How long the texts of rows are.

Axes: n rows, t texts of a row, m members of all rows together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowSizes:
    """Tokens of rows without special ones, or their characters.

    Attributes:
        texts: of each text of every row [t, n].
        members: of the candidates or sentences of all rows, end to end [m].
        starts: number of each row's first member, and m [n + 1].
    """

    texts: Counts
    members: Counts
    starts: Counts

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]], members: Sequence[Sequence[int]] = ()) -> RowSizes:
        """Of rows one by one: the sizes of each row's texts, as many in every row, and those of its members.

        >>> RowSizes.of([[3, 4], [5, 6]], [[7], [8, 9]]).starts.tolist()
        [0, 1, 3]
        """
        number = len(texts[0]) if texts else 0
        by_text = np.array(texts, np.int64).reshape(len(texts), number).T
        if not members:
            return cls.of_texts(by_text)
        flat = [size for row in members for size in row]
        return cls(by_text, np.array(flat, np.int64), np.cumsum([0, *map(len, members)], dtype=np.int64))

    @classmethod
    def of_texts(cls, texts: Counts) -> RowSizes:
        """Of rows without members; texts [t, n]."""
        return cls(texts, np.zeros(0, np.int64), np.zeros(texts.shape[1] + 1, np.int64))

    @classmethod
    def concatenate(cls, parts: Sequence[RowSizes]) -> RowSizes:
        """Of the rows of several one after the other; those that have no rows may have another number of texts."""
        parts = [part for part in parts if len(part)] or [cls.of(())]
        counts = np.concatenate([np.diff(part.starts) for part in parts])
        return cls(
            np.concatenate([part.texts for part in parts], axis=1),
            np.concatenate([part.members for part in parts]),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        )

    def __len__(self) -> int:
        return len(self.starts) - 1
