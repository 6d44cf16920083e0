"""A file that is there only when all of it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skill_plugin.errors import InputError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write; afterwards it is ``path``, whose folder is made, or after an exception nothing.

    Raises:
        InputError: it cannot be written.
    """
    beside = path.with_name(f"{path.name}.partial-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield beside
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise InputError((error.strerror or "cannot be written").lower(), path) from None
