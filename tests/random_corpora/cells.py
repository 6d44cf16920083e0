"""A row as cells of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def cells_of(kind: str, row: Mapping[str, Any]) -> dict[str, str]:
    """Texts by column; of a list the elements, with what stands between them by default."""
    between = "," if kind == "multilabel" else " "
    return {name: between.join(map(str, v)) if isinstance(v, list) else str(v) for name, v in row.items()}
