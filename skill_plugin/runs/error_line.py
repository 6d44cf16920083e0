"""The line of a log that says why a program failed."""

from __future__ import annotations

import re

NOTHING = "it said nothing"
_ERROR = re.compile(r"[\w.]*(Error|Exception|Interrupt)\b")


def error_line(log: str) -> str:
    """Its last error, else its last line.

    >>> error_line("Traceback (most recent call last):\\nValueError: no\\n\\n")
    'ValueError: no'
    """
    lines = _lines(log)
    errors = [line for line in lines if _ERROR.match(line)]
    return (errors or lines or [NOTHING])[-1]


def last_line(log: str) -> str:
    """Its last line, as of a program that was killed."""
    return (_lines(log) or [NOTHING])[-1]


def _lines(log: str) -> list[str]:
    return [line.strip() for line in log.splitlines() if line.strip()]
