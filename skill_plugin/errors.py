"""Faults of the user's input, as one line for a person: ``file:line: what is wrong and what was expected``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from os import PathLike

# C0, C1, line separators, and marks that turn the direction of what follows
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class InputError(Exception):
    """The input is at fault, not the program: shown as one line, exit status 1, no traceback."""

    def __init__(self, message: str, file: str | PathLike[str] | None = None, line: int | None = None) -> None:
        self.message = message
        self.file = None if file is None else str(file)
        self.line = line
        super().__init__(str(self))

    def __str__(self) -> str:
        place = "".join(f"{part}:" for part in (self.file, self.line) if part is not None)
        return f"{place} {self.message}" if place else self.message

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str | None, int | None]]:
        return type(self), (self.message, self.file, self.line)


def shown(text: str) -> str:
    """A text for a terminal: what could steer it (control characters, line ends too) is written as an escape.

    >>> shown("red \\x1b[31m")
    'red \\\\x1b[31m'
    """
    return _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)


def shown_lines(text: str) -> str:
    """The same of a text of several lines, which stay."""
    return "\n".join(map(shown, text.split("\n")))


def nearest(name: str, known: Iterable[str]) -> str:
    """What to append to 'unknown NAME': the nearest known name, else the known ones.

    >>> nearest("clasification", ["classification", "span"])
    "; did you mean 'classification'?"
    """
    known = [str(k) for k in known]
    close = difflib.get_close_matches(str(name), known, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; expected one of: {', '.join(known)}" if known else ""
