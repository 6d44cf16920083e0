"""How many rows a split has, in tables for people."""

from __future__ import annotations


def show_rows(rows: int, trained: int | None) -> str:
    """``6,735``, or ``673 of 6,735`` where only a part of them is trained on."""
    return f"{rows:,}" if trained is None else f"{trained:,} of {rows:,}"
