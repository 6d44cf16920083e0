"""A progress bar for each corpus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TaskID

from skill_plugin.inference.progress import ProgressCallback


@contextmanager
def corpus_progress(console: Console) -> Iterator[ProgressCallback]:
    """A function to call with a corpus, the number of its batches, and how many of them are done.

    Args:
        console: where the bars are shown, if it is a terminal, until all is done.
    """
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks: dict[str, TaskID] = {}

        def progress(corpus: str, batches: int, done: int) -> None:
            if corpus not in tasks:
                tasks[corpus] = bars.add_task(corpus, total=batches)
            bars.update(tasks[corpus], completed=done)

        yield progress
