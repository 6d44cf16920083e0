"""Folders that are there whole or not at all."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from skill_plugin.errors import InputError, reason_of
from skill_plugin.files.whole_file import faults_named, put_in_place


@contextlib.contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Gives a folder beside a path to write into, which takes its place when the block has ended well.

    Folders that are missing above it are made, and are gone again where it did not.

    Args:
        path: what does not exist, or is an empty folder.

    Raises:
        InputError: it cannot be made.
    """
    place = path.resolve().parent
    made = [folder for folder in (place, *place.parents) if not folder.exists()]
    try:
        place.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{path.name[:40]}.partial-", dir=place))
    except OSError as error:
        raise InputError(reason_of(error), path) from None
    try:
        yield beside
        with faults_named(path):
            beside.chmod(0o755)
            if path.exists():
                path.rmdir()
            put_in_place(beside, path.resolve())
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        with contextlib.suppress(OSError):  # where the folder lies
            for folder in made:
                folder.rmdir()
