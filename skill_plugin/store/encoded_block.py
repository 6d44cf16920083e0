"""Some examples of a corpus as ids, the ids of a column end to end: what is written at a time.

Axes: n rows, m members of all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.ragged import Ragged
from skill_plugin.text.sequences.row_sizes import RowSizes
from skill_plugin.text.tokenizer import IntArray


@dataclass(frozen=True, eq=False)
class EncodedBlock:
    """Rows as ids; see ``EncodedRow``.

    Attributes:
        texts: the first texts of all rows, their second ones …
        members: the members of all rows [m]; None if the kind has none.
        counts: int32 [n], the members of each row.
        arrays: by name.
    """

    texts: tuple[Ragged, ...]
    members: Ragged | None = None
    counts: IntArray = field(default_factory=lambda: np.zeros(0, np.int32))
    arrays: Mapping[str, Ragged] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Sequence[EncodedRow], arrays: Sequence[str], has_members: bool) -> EncodedBlock:
        texts = tuple(Ragged.of(column) for column in zip(*(row.texts for row in rows), strict=True))
        named = {name: Ragged.of([row.arrays[name] for row in rows]) for name in arrays}
        if not has_members:
            return cls(texts, arrays=named)
        members = Ragged.of([member for row in rows for member in row.members])
        return cls(texts, members, np.array([len(row.members) for row in rows], np.int32), named)

    @property
    def inputs(self) -> tuple[Ragged, ...]:
        """What is stored as ``input0``, ``input1`` …: the texts, and last the members."""
        return self.texts if self.members is None else (*self.texts, self.members)

    def sizes(self) -> RowSizes:
        """The number of tokens of each text and member."""
        if self.members is None:
            return RowSizes.of_texts(np.array([text.lengths for text in self.texts], np.int64))
        texts = np.array([text.lengths for text in self.texts], np.int64).reshape(len(self.texts), len(self.counts))
        return RowSizes(texts, self.members.lengths.astype(np.int64), np.cumsum([0, *self.counts], dtype=np.int64))
