"""A part of some rows, as a person writes it: ``10%`` of them, or ``235``."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict

from skill_plugin.errors import counted

_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?) ?%", re.ASCII)


def read_size(value: Any) -> int | float | None:
    """A whole number from 1 as it is, a share as a float above 0 and up to 1; None for anything else."""
    match = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    if match is not None:
        share = float(match[1]) / 100
        return share if 0 < share <= 1 else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else None


class TrainRows(BaseModel):
    """The part of the rows of train that is trained on.

    Attributes:
        size: a number of rows, or a share of them.
        line: the line of the key in the corpora file; None where an option of the command line says it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: int | float
    line: int | None = None

    def count(self, rows: int) -> int:
        """How many of so many rows that is: a share is rounded, but not to none.

        Raises:
            ValueError: there are fewer rows.
        """
        if isinstance(self.size, float):
            return min(rows, max(1, round(self.size * rows)))
        if self.size > rows:
            raise ValueError(f"asks for {counted(self.size, 'row')}, but train has {rows:,}")
        return self.size

    def __str__(self) -> str:
        return f"{100 * self.size:.8g}%" if isinstance(self.size, float) else str(self.size)
