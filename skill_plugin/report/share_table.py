"""Planned and actual shares of the corpora, as lines of text for a log and as a table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from skill_plugin.sampling.training_shares import CorpusShare

_HEAD = ("corpus", "planned", "share", "batches", "examples", "passes")


def format_shares(shares: Mapping[str, CorpusShare]) -> list[str]:
    """The lines of the table for a log, as wide as they need to be; shares in percent."""
    console = Console(width=10_000, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(make_share_table(shares))
    return captured.get().splitlines()


def make_share_table(shares: Mapping[str, CorpusShare], title: str | None = None) -> Table:
    """The table for a terminal."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in _HEAD:
        table.add_column(column, justify="left" if column == _HEAD[0] else "right", no_wrap=True)
    for row in _rows(shares):
        table.add_row(*map(Text, row))
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
