"""Keeps the lines of a run in place on a terminal, below all that is printed meanwhile."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from skill_plugin.errors import shown_lines
from skill_plugin.tasks.display.picture import make_picture
from skill_plugin.tasks.display.run_numbers import RunNumbers

_INTERVAL = 0.2  # seconds from one picture to the next
_SAID = ("skill_plugin.tasks.multilingual_multitask",)  # whose messages are shown too, besides warnings


def is_terminal() -> bool:
    """Whether standard output and standard error, where a run writes, are a terminal that can be drawn on."""
    return sys.stdout.isatty() and sys.stderr.isatty() and not Console().is_dumb_terminal


class TerminalDisplay:
    """The lines of one run, from when it trains until it ends.

    Meanwhile messages below a warning are not printed, since the lines say the same; nothing draws by itself, so that
    there is no thread which a fork would lose.

    Args:
        run: what is shown.
        look: brings ``run`` up to date before each picture.
    """

    def __init__(self, run: RunNumbers, look: Callable[[], None]) -> None:
        self.run, self._look = run, look
        self._console = Console()
        self._live = Live(
            console=self._console, auto_refresh=False, vertical_overflow="crop", get_renderable=self._picture
        )
        self._drawn = 0.0
        self._handlers: list[logging.Handler] = []

    def begin(self) -> None:
        """Draws the lines, and keeps messages from being printed into them."""
        root = logging.getLogger()
        streams = (sys.stdout, sys.stderr)
        self._handlers = [one for one in root.handlers if getattr(one, "stream", None) in streams]
        for handler in self._handlers:
            root.removeHandler(handler)
        form = self._handlers[0].formatter if self._handlers else None
        self._above = _Above(self._console, form)
        root.addHandler(self._above)
        self._live.start()
        self._console.show_cursor(True)  # a run that is killed leaves the terminal as it was

    def draw(self, now: bool = False) -> None:
        """Draws anew, if the last picture is old enough or this one is asked for now."""
        if now or time.monotonic() - self._drawn >= _INTERVAL:
            self._look()
            self._live.refresh()
            self._drawn = time.monotonic()

    def end(self) -> None:
        """Leaves the last picture on the screen, and messages to whoever printed them before."""
        self._look()
        self.run.seconds_left = None
        self._live.stop()  # which draws once more
        root = logging.getLogger()
        root.removeHandler(self._above)
        for handler in self._handlers:
            root.addHandler(handler)

    def _picture(self) -> RenderableType:
        return make_picture(self.run, self._console.height)


class _Above(logging.Handler):
    """Prints messages above the lines."""

    def __init__(self, console: Console, form: logging.Formatter | None) -> None:
        super().__init__()
        self._console = console
        self.setFormatter(form)

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING or record.name in _SAID:
            self._console.print(Text(shown_lines(self.format(record))), soft_wrap=True)
