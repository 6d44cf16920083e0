"""Reading and writing a file of ``torch.save``."""

from __future__ import annotations

import contextlib
import pickle
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from skill_plugin.errors import InputError
from skill_plugin.files.whole_file import whole_file
from skill_plugin.weights.stand_ins import made_as_they_are, stand_ins
from skill_plugin.weights.undamaged import check_zip, first_line

BEST, LAST = CHECKPOINTS = "checkpoint_best.pt", "checkpoint_last.pt"  # of a run; the first that is there is meant


def load_torch_file(path: Path) -> Any:
    """What a file holds; no code of the file is run, and its objects are what ``stand_ins`` makes of them.

    Raises:
        InputError: no such file, not torch's format, damaged, or the file wants to execute code.
    """
    if path.is_dir():
        meant = [path / name for name in CHECKPOINTS if (path / name).is_file()]
        raise InputError(f"is a folder, expected a file{f'; did you mean {meant[0]}?' if meant else ''}", path)
    if not path.is_file():
        raise InputError("no such file", path)
    with path.open("rb") as file:
        if file.read(1) not in (b"P", b"\x80"):  # of a zip file, and of a pickle
            raise InputError("not a file of torch.save", path)
    check_zip(path)
    try:
        with _only([*made_as_they_are(), *stand_ins()]):
            # mmap: a float32 XLM-R is half a gigabyte and more, most of which is copied into a model right away
            return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except pickle.UnpicklingError as error:
        raise InputError(f"not loaded, since it holds more than weights ({first_line(error)})", path) from None
    except (RuntimeError, EOFError, ValueError, KeyError, TypeError, OSError, AttributeError) as error:
        raise InputError(f"not a file of torch.save, or damaged ({first_line(error)})", path) from None


@contextlib.contextmanager
def _only(allowed: list[Any]) -> Iterator[None]:
    """What the process allows ``torch.load`` besides is allowed again afterwards: a run reads fairseq's own classes."""
    before = torch.serialization.get_safe_globals()
    torch.serialization.clear_safe_globals()
    torch.serialization.add_safe_globals(allowed)
    try:
        yield
    finally:
        torch.serialization.clear_safe_globals()
        torch.serialization.add_safe_globals(before)


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
