"""Copies of checkpoints that are whole or absent.

Fault: fairseq 0.12.3 (``file_io.PathManager.copy``, called by ``checkpoint_utils.save_checkpoint``) writes
``checkpoint_best.pt`` and ``checkpoint_last.pt`` with ``shutil.copyfile`` straight over the old ones. A run that is
killed meanwhile leaves a short file, and the next one dies with an EOFError. (The first file of a save is written
beside and renamed already.)

No longer needed: when a copy that is cut short leaves the old file as it was without ``install()``.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairseq.file_io import PathManager

from skill_plugin.compat.patching import wrap
from skill_plugin.files.copied_file import copy_file
from skill_plugin.files.whole_file import put_in_place


def copy(original: Callable[..., Any], src_path: str, dst_path: str, overwrite: bool = False) -> Any:
    """Copies a file beside its destination and renames it.

    A copy, not a hard link: ``cp other.pt checkpoint_last.pt`` writes into the file that is there, and through a link
    it would overwrite the best checkpoint and the epoch's too. Where the file system can, copies share blocks until one
    is written to, and cost nothing. The temporary name is always the same, so that what a
    killed run left is overwritten by the next.
    """
    if PathManager.path_requires_pathmanager(src_path) or PathManager.path_requires_pathmanager(dst_path):
        return original(src_path, dst_path, overwrite)
    beside = f"{dst_path}.tmp"
    try:
        copy_file(Path(src_path), Path(beside))
        put_in_place(Path(beside), Path(dst_path))
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    return dst_path


def install() -> None:
    """Patches ``PathManager.copy``."""
    wrap(PathManager, "copy", copy)
