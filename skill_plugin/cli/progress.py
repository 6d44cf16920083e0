"""Bars and lines on standard error while a verb works, where that is a terminal; they are gone when it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from skill_plugin.cli.output import notes_console
from skill_plugin.inference.progress import ProgressCallback

_DESCRIPTION = "{task.description}"


def _bars(*columns: ProgressColumn) -> Progress:
    """Bars of these columns; of rich's usual ones where none are given."""
    console = notes_console()
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def corpus_progress() -> Iterator[ProgressCallback]:
    """A bar for each corpus: a function to call with a corpus, the number of its batches, and how many are done."""
    with _bars() as bars:
        tasks: dict[str, TaskID] = {}

        def progress(corpus: str, batches: int, done: int) -> None:
            if corpus not in tasks:
                tasks[corpus] = bars.add_task(corpus, total=batches)
            bars.update(tasks[corpus], completed=done)

        yield progress


@contextmanager
def reading_progress(corpora: int) -> Iterator[Callable[[str], None]]:
    """A bar for so many corpora: a function to call with the name of each that is read next."""
    with _bars() as bars:
        task = bars.add_task("reading", total=corpora)

        def advance(name: str) -> None:
            bars.update(task, advance=1, description=name)

        yield advance


@contextmanager
def looking_progress() -> Iterator[Callable[[str], None]]:
    """A line: a function to call with the name of the file that is looked at."""
    with _bars(SpinnerColumn(), TextColumn(_DESCRIPTION)) as bars:
        task = bars.add_task("looking at files", total=None)

        def advance(name: str) -> None:
            bars.update(task, description=f"looking at {name}")

        yield advance


class EncodingProgress:
    """A bar for the split that is being encoded."""

    def __init__(self) -> None:
        self._bars = _bars(TextColumn(_DESCRIPTION), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._tasks: dict[tuple[str, str], tuple[TaskID, int]] = {}

    def __enter__(self) -> EncodingProgress:
        self._bars.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bars.stop()

    def reading(self, corpus: str) -> None:
        """The corpus is read, which shows no number of rows."""
        self._clear()
        self._tasks.clear()  # a corpus of that name may be in another file too
        self._bars.add_task(f"{corpus}: reading", total=None)

    def report(self, corpus: str, split: str, rows: int, total: int) -> None:
        """Rows that were encoded since the last call."""
        if (corpus, split) not in self._tasks:
            self._clear()
            self._tasks[corpus, split] = self._bars.add_task(f"{corpus} {split}", total=total), 0
        task, waiting = self._tasks[corpus, split]
        waiting += rows
        if waiting >= 200:  # a call a row would cost more than encoding it
            self._bars.advance(task, waiting)
            waiting = 0
        self._tasks[corpus, split] = task, waiting

    def _clear(self) -> None:
        for task in list(self._bars.task_ids):
            self._bars.remove_task(task)
