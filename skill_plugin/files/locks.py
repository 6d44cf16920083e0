"""Locks on folders, so that only one process at a time writes into one. A lock ends with the process that holds it."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
from collections.abc import Iterator
from multiprocessing import util
from pathlib import Path

from skill_plugin.errors import InputError, reason_of

logger = logging.getLogger(__name__)
_NO_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK)  # the file system has no locks
_held: dict[Path, int] = {}  # files that this process keeps locked until it ends


@contextlib.contextmanager
def locked(file: Path, folder: Path, by: str) -> Iterator[int]:
    """Holds a lock until the block or the process ends; the lock's file exists only as long.

    Args:
        file: the file that is locked; it is made here.
        folder: the folder that the lock protects, for messages.
        by: the command that takes such locks, for messages.

    Returns:
        The open file; a process that inherits it holds the lock too.

    Raises:
        InputError: another process holds the lock, or its file cannot be made.
    """
    descriptor = _lock(file, folder, by)
    try:
        yield descriptor
    finally:
        with contextlib.suppress(OSError):
            file.unlink()  # before the lock is released, so that no other process's file is removed
        os.close(descriptor)


def lock_until_exit(file: Path, folder: Path, by: str) -> None:
    """Holds a lock until this process ends; see ``locked``. Forks do not hold it. A second call does nothing.

    Raises:
        InputError: another process holds the lock, or its file cannot be made.
    """
    file = file.resolve()
    if file not in _held:
        _held[file] = _lock(file, folder, by)
        util.Finalize(None, _release, args=(file,), exitpriority=0)  # not atexit, which spawned processes pass over


def _release(file: Path) -> None:
    if (descriptor := _held.pop(file, None)) is not None:
        with contextlib.suppress(OSError):
            file.unlink()  # before the lock is released, so that no other process's file is removed
        os.close(descriptor)


def _lock(file: Path, folder: Path, by: str) -> int:
    while True:
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise InputError(f"cannot be locked: {reason_of(error, 'unknown')}", folder) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                logger.warning(f"{folder}: its file system has no locks; see that nobody else writes there")
                return descriptor
            process = os.read(descriptor, 20).decode("ascii", "replace").strip()
            os.close(descriptor)
            if not isinstance(error, BlockingIOError):
                raise InputError(f"cannot be locked: {reason_of(error, 'unknown')}", folder) from None
            who = f" (process {process})" if process else ""
            raise InputError(f"{by} is at work here{who}; wait until it has ended", folder) from None
        if _is_still(file, descriptor):
            os.ftruncate(descriptor, 0)
            os.write(descriptor, str(os.getpid()).encode())
            return descriptor
        os.close(descriptor)  # the process that held the lock has removed the file since it was opened here


def _is_still(file: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(file), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _close_inherited() -> None:
    """Closes inherited locks in a forked process, since a lock must end with the process that took it."""
    for descriptor in _held.values():
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_close_inherited)
