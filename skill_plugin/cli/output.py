"""Where the verbs print: tables fit a terminal, and are whole in a pipe or a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from skill_plugin.errors import shown_lines
from skill_plugin.report.fit import PIPE_WIDTH, print_table

if TYPE_CHECKING:
    from skill_plugin.report.results import Results


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


def print_tables(tables: Iterable[Table], lead: int = 1) -> None:
    """Tables on standard output, with a blank line between them.

    Args:
        tables: what to print.
        lead: how many columns say what a row is, and stand in each part of a table that is too wide.
    """
    for index, table in enumerate(tables):
        if index:
            console().print()
        print_table(console(), table, lead)


def say_activated(notes: Console, results: Results) -> None:
    """A line for each corpus that activated something else than it was trained with."""
    for name, result in results.corpora.items():
        if result.activated:
            parts = [
                f"{part} {', '.join(names) if isinstance(names, list) else names}"
                for part, names in result.activated.items()
            ]
            notes.print(f"{name}: activated {'; '.join(parts)}", style="yellow", markup=False, soft_wrap=True)


def say_unreadable(notes: Console, results: Results) -> None:
    """A line for each corpus of which a model wrote texts that are no answers."""
    for name, result in results.corpora.items():
        if result.unreadable:
            wrote = f"{result.unreadable} texts that are no answer, which count as wrong"
            notes.print(f"{name}: the model wrote {wrote}", style="yellow", markup=False, soft_wrap=True)


def say_left_out(notes: Console, left_out: Mapping[str, str]) -> None:
    """A line for each reason, with the corpora that were not read for it."""
    corpora_of: dict[str, list[str]] = {}
    for corpus, reason in left_out.items():
        corpora_of.setdefault(reason, []).append(corpus)
    for reason, corpora in corpora_of.items():
        notes.print(f"{', '.join(corpora)}: left out, {reason}", style="yellow", markup=False, soft_wrap=True)
