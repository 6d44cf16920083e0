"""One example as ids: what the store holds of it, and what a prediction from raw text starts with.

Axis: T tokens of a text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from skill_plugin.text.sequences.row_sizes import RowSizes

Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class EncodedRow:
    """The texts of an example as ids, without special tokens, and what its kind needs beside them.

    Attributes:
        texts: int32 [T] each; as many in every row of a corpus.
        members: int32 [T] each; any number: the candidates of a ranking, the sentences of a document.
        arrays: int32, by name: those of the kind's ``RowStorage``; after reading also ``label``, ids of the labels.
        score: of a regression, where known.
    """

    texts: tuple[Ids, ...]
    members: tuple[Ids, ...] = ()
    arrays: Mapping[str, Ids] = field(default_factory=dict)
    score: float | None = None


def measure_rows(rows: Sequence[EncodedRow]) -> RowSizes:
    """How many tokens the texts and members of rows have."""
    return RowSizes.of([list(map(len, row.texts)) for row in rows], [list(map(len, row.members)) for row in rows])
