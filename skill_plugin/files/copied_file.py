"""Copies large files, without writing their bytes again where the file system can tell that they are the same."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def copy_file(source: Path, target: Path) -> None:
    """Copies what a file holds into another, which is written over where it is there.

    XFS, Btrfs, ZFS and the like let two files share their blocks until one of them is written to, so that each stays a
    file of its own. Network file systems copy on the server. Elsewhere the bytes are written.

    Raises:
        OSError: it cannot be read or written.
    """
    if not _cloned(source, target):
        shutil.copyfile(source, target)


def _cloned(source: Path, target: Path) -> bool:
    """Whether the kernel has copied all of a file; if not, what is wrong is told by whoever copies it otherwise."""
    try:
        with source.open("rb") as read, target.open("wb") as write:
            left = os.fstat(read.fileno()).st_size
            while left:
                copied = os.copy_file_range(read.fileno(), write.fileno(), left)
                if not copied:
                    return False
                left -= copied
    except (OSError, AttributeError):  # between two file systems, one that cannot, or another operating system
        return False
    return True
