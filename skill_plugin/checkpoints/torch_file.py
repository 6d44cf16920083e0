"""Writing a file of ``torch.save`` so that it is whole or absent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from skill_plugin.errors import InputError


def write_torch_file(content: Mapping[str, Any], path: Path) -> None:
    """Writes beside the file and renames.

    Raises:
        InputError: the folder does not exist or cannot be written.
    """
    beside = path.with_name(f".{path.name}.partial-{os.getpid()}")
    try:
        torch.save(content, beside)
        os.replace(beside, path)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(f"cannot be written: {reason}", path) from None
    finally:
        beside.unlink(missing_ok=True)
