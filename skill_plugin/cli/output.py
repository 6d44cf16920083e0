"""Where the verbs print: tables fit a terminal, and are whole in a pipe or a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Console, RenderableType

PIPE_WIDTH = 200  # columns, where there is no terminal to ask


def console() -> Console:
    """Standard output."""
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=PIPE_WIDTH)


def print_tables(tables: Iterable[RenderableType]) -> None:
    """Tables on standard output, with a blank line between them."""
    for index, table in enumerate(tables):
        if index:
            console().print()
        console().print(table)


def say_left_out(notes: Console, left_out: Mapping[str, str]) -> None:
    """A line for each corpus that was not read, with the reason."""
    for corpus, reason in left_out.items():
        notes.print(f"{corpus}: left out, {reason}", style="yellow", markup=False, soft_wrap=True)
