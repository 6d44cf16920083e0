"""fairseq's progress bar for a run on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fairseq.logging.progress_bar import BaseProgressBar

from skill_plugin.tasks.display.terminal_display import TerminalDisplay


class DisplayBar(BaseProgressBar):
    """Takes numbers by the names that ``log.jsonl`` has.

    Args:
        iterable: the updates of an epoch, or the batches of a validation.
        display: shows them.
        split: that is validated; None where the run trains.
    """

    def __init__(self, iterable: Any, display: TerminalDisplay, split: str | None) -> None:
        super().__init__(iterable)
        self._display, self._split = display, split

    def __iter__(self) -> Iterator[Any]:
        for done, item in enumerate(self.iterable):
            if self._split is not None:
                self._display.run.at_work = self._split, done, len(self)
            self._display.draw()
            yield item
        self._display.run.at_work = None

    def log(self, stats: Mapping[str, Any], tag: str | None = None, step: int | None = None) -> None:
        """The updates since the last line."""
        self._display.run.trained(stats)
        self._display.draw()

    def print(self, stats: Mapping[str, Any], tag: str | None = None, step: int | None = None) -> None:
        """An epoch, of which nothing is shown, or a validation."""
        if self._split is not None:
            self._display.run.validated(int(step or 0), stats)
            self._display.draw(now=True)
