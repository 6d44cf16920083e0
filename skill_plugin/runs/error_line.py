"""The line of a log that says why a program failed."""

from __future__ import annotations

import re

_ERROR = re.compile(r"[\w.]*(Error|Exception|Interrupt)\b")


def error_line(log: str) -> str:
    """Its last error, else its last line.

    >>> error_line("Traceback (most recent call last):\\nValueError: no\\n\\n")
    'ValueError: no'
    """
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR.match(line)]
    return (errors or lines or ["it said nothing"])[-1]
