"""Files or folders of a command line that each count once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from skill_plugin.errors import InputError


def check_distinct(paths: Iterable[Path], why: str) -> None:
    """Refuses what is named twice, whether by one path or by several. What does not exist is for its reader to tell.

    Args:
        paths: files or folders.
        why: what is wrong with it, to end the message with.

    Raises:
        InputError: two of them are one.
    """
    known: dict[tuple[int, int], Path] = {}
    for path in paths:
        try:
            found = path.stat()
        except OSError:
            continue
        first = known.setdefault((found.st_dev, found.st_ino), path)
        if first is not path:
            raise InputError(f"{'is named twice' if first == path else f'is the same as {first}'}; {why}", path)
