"""A checkpoint that cannot be written ends the run in one line, and leaves nothing half-written.

Fault: fairseq 0.12.3 (``checkpoint_utils._torch_persistent_save``) tries to write a checkpoint three times, logs the
traceback of the last try, raises it, and leaves ``checkpoint….pt.tmp``. Of a full disk torch says "unexpected pos".

No longer needed: when a full disk is one line with the file's name without ``install()``.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from fairseq import checkpoint_utils
from fairseq.file_io import PathManager

from skill_plugin.compat.patching import wrap
from skill_plugin.errors import InputError
from skill_plugin.files.system_faults import system_fault
from skill_plugin.files.whole_file import put_in_place


def torch_persistent_save(original: Callable[..., None], obj: Any, filename: str, async_write: bool = False) -> None:
    """fairseq's, for files of this machine: whole or absent, once."""
    if async_write or PathManager.path_requires_pathmanager(filename):
        original(obj, filename, async_write)
        return
    beside = f"{filename}.tmp"  # fairseq's name: what a killed run left is overwritten by the next
    try:
        torch.save(obj, beside)
        put_in_place(Path(beside), Path(filename))
    except (OSError, RuntimeError) as error:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        reason = system_fault(error)
        if reason is None:
            raise
        raise InputError(reason.removeprefix(f"{beside}: "), filename) from None


def install() -> None:
    """Patches ``checkpoint_utils.torch_persistent_save``."""
    wrap(checkpoint_utils, "torch_persistent_save", torch_persistent_save)
