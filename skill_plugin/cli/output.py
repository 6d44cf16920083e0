"""Where the verbs print: tables fit a terminal, and are whole in a pipe or a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from skill_plugin.errors import shown_lines

PIPE_WIDTH = 200  # columns, where there is no terminal to ask


class SafeConsole(Console):
    """Prints what could steer a terminal as an escape; only styles of our own steer it."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(shown_lines(text), **options)  # before its width is measured

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else shown_lines(text), style, control)


def console() -> Console:
    """Standard output."""
    found = SafeConsole(highlight=False)
    return found if found.is_terminal else SafeConsole(highlight=False, width=PIPE_WIDTH)


def notes_console() -> Console:
    """Standard error, for notices and progress."""
    return SafeConsole(stderr=True)


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
