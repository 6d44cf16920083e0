"""Writing a file of ``torch.save`` so that it is whole or absent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from skill_plugin.errors import InputError
from skill_plugin.files.whole_file import whole_file


def write_torch_file(content: Mapping[str, Any], path: Path) -> None:
    """Writes beside the file and renames.

    Raises:
        InputError: the folder does not exist or cannot be written.
    """
    try:
        with whole_file(path, make_folder=False) as beside:
            torch.save(content, beside)
    except InputError as error:
        raise InputError(f"cannot be written: {error.message}", path) from None
    except RuntimeError as error:  # torch's own, such as for a full disk
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(f"cannot be written: {reason}", path) from None
