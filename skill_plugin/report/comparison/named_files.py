"""Files of a row of a table, as a command line names them."""

from __future__ import annotations

import glob
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.files.distinct_files import check_distinct


def find_named(argument: str) -> tuple[str, list[Path]]:
    """``NAME=PATTERN``: the name, and what matches the pattern (``**`` for any folders), in order.

    Raises:
        InputError: not of that form, nothing matches, or two matches are one file or folder.
    """
    name, equals, pattern = argument.partition("=")
    if not (name and equals and pattern):
        raise InputError(f"{argument!r}: expected NAME=PATTERN")
    found = matching(pattern)
    if not found:
        raise InputError(f"{name}: nothing matches {pattern}")
    check_distinct(found, f"{name} counts each run once")
    return name, found


def matching(pattern: str) -> list[Path]:
    """What a pattern matches, in order."""
    return list(map(Path, sorted(glob.glob(pattern, recursive=True))))
