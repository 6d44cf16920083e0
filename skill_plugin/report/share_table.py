"""Planned and actual shares of the corpora, as lines of text for a log and as a table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table

from skill_plugin.sampling.shares import CorpusShare

_HEAD = ("corpus", "planned", "share", "batches", "examples", "passes")


def share_lines(shares: Mapping[str, CorpusShare]) -> list[str]:
    """A line a corpus below a heading; shares in percent."""
    rows = [_HEAD, *_rows(shares)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]


def share_table(shares: Mapping[str, CorpusShare], title: str) -> Table:
    """The same as a table."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in _HEAD:
        table.add_column(column, justify="left" if column == _HEAD[0] else "right", no_wrap=True)
    for row in _rows(shares):
        table.add_row(*row)
    return table


def _rows(shares: Mapping[str, CorpusShare]) -> list[tuple[str, ...]]:
    return [
        (
            name,
            f"{100 * one.planned_share:.2f}%",
            f"{100 * one.share:.2f}%",
            f"{one.batches:,}",
            f"{one.examples:,}",
            f"{one.passes:.2f}",
        )
        for name, one in shares.items()
    ]
