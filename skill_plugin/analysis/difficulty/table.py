"""The table of difficulties."""

from __future__ import annotations

from dataclasses import astuple, fields

from rich.table import Table

from skill_plugin.analysis.difficulty.collect import Difficulties
from skill_plugin.analysis.difficulty.measure import Difficulty


def difficulty_table(found: Difficulties) -> Table:
    """A row for each corpus, the most difficult first, with the parts that its difficulty is the sum of."""
    table = Table(title="EDM of the training texts", title_justify="left")
    table.add_column("corpus", no_wrap=True)
    for column in ("rows", "difficulty", *(part.name for part in fields(Difficulty))):
        table.add_column(column, justify="right", no_wrap=True)
    for name, difficulty in found.corpora.items():
        parts = (f"{value:.3f}" for value in (difficulty.sum, *astuple(difficulty)))
        table.add_row(name, f"{found.rows[name]:,}", *parts)
    return table
