"""Planned and actual shares of the corpora, as lines of text for a log and as a table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from skill_plugin.sampling.training_shares import CorpusShare, TrainingShares

_HEAD = ("corpus", "planned", "share", "batches", "examples", "passes")


def format_shares(shares: Mapping[str, CorpusShare]) -> list[str]:
    """The lines of the table for a log, as wide as they need to be; shares in percent."""
    console = Console(width=10_000, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(_make_table(_HEAD, shares, dict.fromkeys(shares, ())))
    return captured.get().splitlines()


def make_trained_table(trained: TrainingShares) -> Table:
    """The table for a terminal of what a checkpoint was trained on, with the number of rows of each corpus."""
    sizes = dict(zip(trained.names, trained.sizes, strict=True))
    parts = {name: f", {part} of train" for name, part in trained.parts.items()}
    rows = {name: (f"{size:,}{parts.get(name, '')}",) for name, size in sizes.items()}
    return _make_table((*_HEAD, "of rows"), trained.run(), rows, "trained on")


def _make_table(
    head: tuple[str, ...], shares: Mapping[str, CorpusShare], more: Mapping[str, tuple[str, ...]], title: str = ""
) -> Table:
    """The cells of each corpus, and ``more`` behind them."""
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for column in head:
        table.add_column(column, justify="left" if column in ("corpus", "of rows") else "right", no_wrap=True)
    for name, one in shares.items():
        cells = (
            name,
            f"{100 * one.planned_share:.2f}%",
            f"{100 * one.share:.2f}%",
            f"{one.batches:,}",
            f"{one.examples:,}",
            f"{one.passes:.2f}",
        )
        table.add_row(*map(Text, (*cells, *more[name])))
    return table
