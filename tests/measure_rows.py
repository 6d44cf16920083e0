"""Sizes of encoded rows, each counted by itself."""

from __future__ import annotations

from collections.abc import Sequence

from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.sequences.row_sizes import RowSizes


def measure_rows(rows: Sequence[EncodedRow]) -> RowSizes:
    """The number of tokens of each text and member."""
    return RowSizes.of([list(map(len, row.texts)) for row in rows], [list(map(len, row.members)) for row in rows])
