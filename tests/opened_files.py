"""How often each file was opened by this process, as the interpreter tells it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_COUNTED: list[Counter[Path]] = []


def _count(event: str, arguments: tuple[Any, ...]) -> None:
    if _COUNTED and event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
        path = Path(os.path.abspath(os.fsdecode(arguments[0])))
        for counts in _COUNTED:
            counts[path] += 1


sys.addaudithook(_count)  # for good: no hook can be removed


@contextmanager
def opened_files() -> Iterator[Counter[Path]]:
    """Counts by absolute path, of all that is opened within the block."""
    counts: Counter[Path] = Counter()
    _COUNTED.append(counts)
    try:
        yield counts
    finally:
        _COUNTED.remove(counts)
