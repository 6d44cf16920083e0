"""sha256 of the files of a data folder: noted when they are written, compared when they are read."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, reason_of
from skill_plugin.store.verified_files import Verified, read_verified, write_verified


def file_checksum(path: Path) -> str:
    """sha256 of a file. A process reads a file only once as long as it does not change, also under several names.

    Raises:
        OSError: the file cannot be read.
    """
    found = path.stat()
    return _digest(path, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=4096)
def _digest(path: Path, *_: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_checksums(folder: Path) -> dict[str, str]:
    """sha256 of every file below a folder, by its path in the folder."""
    files = (Path(place) / name for place, _, names in os.walk(folder) for name in names)
    return {str(path.relative_to(folder)): file_checksum(path) for path in sorted(files)}


def verify_files(folder: Path, checksums: Mapping[str, str]) -> None:
    """Checks that files are as they were written.

    A file that was found so before, and that has not changed since as far as the file system knows, is not read again.

    Args:
        folder: the folder of the files.
        checksums: sha256 of each file, by its path in the folder.

    Raises:
        InputError: a file is missing or changed; the message names the first one.
    """
    before = read_verified(folder)
    now: dict[str, Verified] = {}
    for name, expected in checksums.items():
        try:
            now[name] = Verified.of(folder / name, expected)
            found = expected if now[name] == before.get(name) else file_checksum(folder / name)
        except OSError as error:
            raise InputError(reason_of(error), folder / name) from None
        if found != expected:
            raise InputError("damaged: not as it was written; prepare it anew", folder / name)
    write_verified(folder, before, now)


def content_checksum(content: Mapping[str, Any]) -> str:
    """sha256 of plain values; the layout of a JSON file does not change it."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
