"""Folders that are there whole or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from skill_plugin.files.partial import partial
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
        with contextlib.ExitStack() as stack:
            with faults_named(path):
                place.mkdir(parents=True, exist_ok=True)
                beside = stack.enter_context(partial(path.resolve()))
                beside.mkdir()
            yield beside
            with faults_named(path):
                if path.exists():
                    path.rmdir()
                put_in_place(beside, path.resolve())
    finally:
        with contextlib.suppress(OSError):  # where the folder lies
            for folder in made:
                folder.rmdir()
