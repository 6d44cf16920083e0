"""One example as ids: what the store holds, and what a prediction from raw text starts from.

Axis: T tokens of a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class EncodedRow:
    """The texts of an example as ids, without special tokens, and what its kind needs beside them.

    Attributes:
        texts: the ids of each text, int32 [T]; every row of a corpus has equally many texts.
        members: the ids of each candidate of a query or sentence of a document, int32 [T]; any number.
        arrays: int32 arrays by name: those of the kind's ``RowStorage``, and in a stored row also ``label``, the ids of
            its labels.
        score: the score of a regression, if it is known.
    """

    texts: tuple[Ids, ...]
    members: tuple[Ids, ...] = ()
    arrays: Mapping[str, Ids] = field(default_factory=dict)
    score: float | None = None
