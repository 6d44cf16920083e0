"""Where an output is written before it takes its place: a folder of its own beside it, on the same file system.

The folder is locked as long as its process lives. What killed processes left beside an output is removed by whoever
writes that output next.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_NAME = 40  # characters of the output's name in that of the folder, which must not be too long
_GONE = (errno.ENOENT, errno.EWOULDBLOCK)  # another process took it for left, in the moment before it was locked


@contextlib.contextmanager
def partial(target: Path) -> Iterator[Path]:
    """Gives a path where nothing is yet, to write a file or a folder to; whatever is there at the end is removed.

    Args:
        target: where the output is to be, in a folder that exists.

    Raises:
        OSError: nothing can be written there.
    """
    prefix = f".{target.name[:_NAME]}.partial-"
    _remove_left(target.parent, prefix)
    folder, lock = _make(target.parent, prefix)
    try:
        yield folder / "content"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _make(parent: Path, prefix: str) -> tuple[Path, int | None]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        try:
            return folder, _lock(folder)
        except OSError as error:
            if error.errno not in _GONE:
                return folder, None  # the file system has no locks, and nothing that is left is removed there


def _remove_left(parent: Path, prefix: str) -> None:
    left = re.compile(re.escape(prefix) + r"\w{8}")  # as mkdtemp ends it
    with contextlib.suppress(OSError):  # a folder that may be written but not listed
        for name in filter(left.fullmatch, os.listdir(parent)):
            with contextlib.suppress(OSError):  # somebody writes there
                lock = _lock(parent / name)
                shutil.rmtree(parent / name, ignore_errors=True)
                os.close(lock)


def _lock(folder: Path) -> int:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
