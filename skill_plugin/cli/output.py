"""Where the verbs print: tables fit a terminal, and are whole in a pipe or a file."""

from __future__ import annotations

from rich.console import Console

PIPE_WIDTH = 200  # columns, where there is no terminal to ask


def console() -> Console:
    """Standard output."""
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=PIPE_WIDTH)
