"""Bars on standard error while corpora are read and encoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID


class ProgressBars:
    """A bar for the split that is being encoded, on standard error."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from skill_plugin.cli.output import notes_console

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = notes_console()
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._tasks: dict[tuple[str, str], tuple[TaskID, int]] = {}

    def __enter__(self) -> ProgressBars:
        self._progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def reading(self, corpus: str) -> None:
        """The corpus is read, which shows no number of rows."""
        for task in list(self._progress.task_ids):
            self._progress.remove_task(task)
        self._tasks.clear()  # a corpus of that name may be in another file too
        self._progress.add_task(f"{corpus}: reading", total=None)

    def report(self, corpus: str, split: str, rows: int, total: int) -> None:
        """Rows that were encoded since the last call."""
        if (corpus, split) not in self._tasks:
            for task in list(self._progress.task_ids):
                self._progress.remove_task(task)
            self._tasks[corpus, split] = self._progress.add_task(f"{corpus} {split}", total=total), 0
        task, waiting = self._tasks[corpus, split]
        waiting += rows
        if waiting >= 200:  # a call a row would cost more than encoding it
            self._progress.advance(task, waiting)
            waiting = 0
        self._tasks[corpus, split] = task, waiting
