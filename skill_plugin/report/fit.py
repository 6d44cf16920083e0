"""Tables that are wider than the terminal, as several beneath one another."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

PIPE_WIDTH = 200  # columns, where there is no terminal to ask
UNLIMITED = 1 << 16  # columns of a terminal that cuts nothing


def print_table(console: Console, table: Table, lead: int = 1) -> None:
    """Prints a table, in parts where the console is too narrow for all columns; every part begins with the first ones.

    Args:
        console: where to print.
        table: what to print.
        lead: how many of the first columns name a row, and stand in every part.
    """
    for index, part in enumerate(divide_table(console, table, lead)):
        if index:
            console.print()
        console.print(part)


def divide_table(console: Console, table: Table, lead: int = 1) -> Iterator[Table]:
    """Divides a table into as few parts as fit the console, with the columns in their order; see ``print_table``.

    Title and caption stand once. A part whose columns are too wide by themselves is left to rich, which wraps cells.
    """
    numbers = list(range(len(table.columns)))
    parts: list[list[int]] = [numbers[:lead]]
    for number in numbers[lead:]:
        if len(parts[-1]) > lead and _width(console, _part(table, [*parts[-1], number])) > console.width:
            parts.append(numbers[:lead])
        parts[-1].append(number)
    for index, chosen in enumerate(parts):
        part = _part(table, chosen)
        part.title = None if index else table.title
        part.caption = table.caption if index == len(parts) - 1 else None
        if _width(console, part) > console.width:
            for column in part.columns:
                column.no_wrap, column.overflow = False, "fold"
        yield part


def _part(table: Table, numbers: Sequence[int]) -> Table:
    part = copy.copy(table)
    part.columns = [replace(table.columns[number], _index=index) for index, number in enumerate(numbers)]
    return part


def _width(console: Console, table: Table) -> int:
    return Measurement.get(console, console.options.update(width=UNLIMITED), table).maximum
