"""Rows of a table with another number of cells than most: which keys read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skill_plugin.errors import counted
from skill_plugin.guessing.layout import Layout

_FEW = 0.02  # share of rows that are taken for broken


def odd_rows(layout: Layout, columns: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """``extra_cells``, ``missing_cells`` and ``on_bad_row``, each with its value and the reason, where needed."""
    if len(layout.widths) < 2:
        return {}
    usual = max(layout.widths, key=layout.widths.__getitem__)
    total = layout.widths.total()
    widths = sorted(layout.widths.items())
    counts = ", ".join(f"{counted(rows, 'row')} of {counted(width, 'cell')}" for width, rows in widths)
    keys: dict[str, tuple[Any, str]] = {}
    named = layout.keys.get("header", (True,))[0]
    used = usual if named else 1 + max((one for value in columns.values() for one in _numbers(value)), default=0)
    if max(layout.widths) > usual or (not named and any(used <= width < usual for width in layout.widths)):
        keys["extra_cells"] = ("drop", f"the sample has {counts}")
    short = sum(count for width, count in layout.widths.items() if width < used)
    if short and short <= _FEW * total:
        what = "are blank" if short == layout.widths[0] else "end early"
        keys["on_bad_row"] = ("skip", f"{short} of {total} rows of the sample {what}: left out, and counted")
    elif short:
        keys["missing_cells"] = ("empty", f"the sample has {counts}")
    return keys


def _numbers(value: Any) -> list[int]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, int)]
