"""Tables in narrow terminals: nothing is lost, and nothing is wider."""

from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

from skill_plugin.report.fit import divide_table, print_table


def made(columns: int, cell: int, rows: int = 2, box: bool = True) -> Table:
    table = Table(title="title", caption="caption", **({} if box else {"box": None}))
    for number in range(columns):
        table.add_column(f"c{number}", no_wrap=True)
    for row in range(rows):
        table.add_row(*(f"r{row}-{number}".ljust(cell, "x") for number in range(columns)))
    return table


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(4, 30), st.integers(20, 120), st.integers(1, 3), st.booleans())
def test_every_cell_is_there_and_no_line_is_too_wide(columns: int, cell: int, width: int, lead: int, box: bool) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width)
    print_table(console, made(columns, cell, box=box), min(lead, columns))
    assert max(map(len, out.getvalue().splitlines())) <= width
    parts = list(divide_table(console, made(columns, cell, box=box), min(lead, columns)))
    shown = [str(column.header) for part in parts for column in part.columns]
    first = [f"c{number}" for number in range(min(lead, columns))]
    assert all([str(column.header) for column in part.columns][: len(first)] == first for part in parts)
    assert list(dict.fromkeys(shown)) == [f"c{number}" for number in range(columns)]
    assert [part.title for part in parts] == ["title"] + [None] * (len(parts) - 1)
    if width >= (lead + 1) * (cell + 3) + 1:
        assert all(f"r1-{number}".ljust(cell, "x") in out.getvalue() for number in range(columns))


def test_a_table_that_fits_is_whole() -> None:
    assert len(list(divide_table(Console(width=80), made(4, 10)))) == 1
    assert len(list(divide_table(Console(width=40), made(4, 10)))) == 2
