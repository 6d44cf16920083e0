"""Which files of a data folder were found to be as they were written, so that not every start reads them all.

It is kept in the user's cache (``$XDG_CACHE_HOME/skill_plugin``, by default ``~/.cache/skill_plugin``), a file for each
folder; the data itself is only read, and may be where nobody can write. A file counts as the same while its device,
inode, size and the times of its last changes stay: copies, and files that anything has written to, are read again. What
a disk damages by itself, without the file system, is noticed only when the cache is removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json, write_json

_SETTLED = 3.0  # seconds: file systems tell times to 2 s at worst, and a later change must show


class Verified(NamedTuple):
    """A file that has its checksum.

    Attributes:
        device, inode, size: of the file.
        changed: when its content was last changed, and when its content or its place was, in nanoseconds.
        checksum: its sha256.
    """

    device: int
    inode: int
    size: int
    changed: tuple[int, int]
    checksum: str

    @classmethod
    def of(cls, path: Path, checksum: str) -> Verified:
        """The file as it is, if it has the checksum.

        Raises:
            OSError: it cannot be read.
        """
        found = path.stat()
        changed = found.st_mtime_ns, found.st_ctime_ns
        return cls(found.st_dev, found.st_ino, found.st_size, changed, checksum)


def read_verified(folder: Path) -> dict[str, Verified]:
    """The files of a folder that were verified before, by their path in it."""
    try:
        content = read_json(_place(folder))
        return {
            name: Verified(device, inode, size, (written, moved), checksum)
            for name, (device, inode, size, (written, moved), checksum) in content.items()
        }
    except (InputError, OSError, RuntimeError, TypeError, ValueError):
        return {}  # there is none yet, or none that can be read


def write_verified(folder: Path, before: Mapping[str, Verified], now: Mapping[str, Verified]) -> None:
    """Keeps which files are verified, but for those that have just been changed: they might change again unseen."""
    settled = time.time_ns() - int(_SETTLED * 1e9)
    kept = {**before, **{name: one for name, one in now.items() if max(one.changed) < settled}}
    if kept != before:
        with contextlib.suppress(InputError, OSError, RuntimeError):  # without it, files are only read once more
            write_json(_place(folder), kept)


def _place(folder: Path) -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    cache = Path(home) if home else Path.home() / ".cache"
    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
    return cache / "skill_plugin" / "verified" / f"{name}.json"
