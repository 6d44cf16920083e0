"""What of a file of weights can be looked at before anything is made of it, so that damage is named, not loaded."""

from __future__ import annotations

import contextlib
import struct
import zipfile
from collections.abc import Iterator, Mapping
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from skill_plugin.errors import InputError

_CHUNK = 1 << 22  # bytes
_BROKEN_ZIP = (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, OSError, struct.error)


def check_zip(path: Path) -> None:
    """That the parts of a zip file have the checksums that it notes, as fast as they are read, once by a process.

    torch compares none, and takes parts that were compressed for weights. Files of torch before 1.6 are no zip files,
    and have no checksums.

    Raises:
        InputError: a part is damaged, or was compressed, which torch.save never does.
    """
    found = path.stat()
    _check_zip(path, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=64)
def _check_zip(path: Path, *_: int) -> None:
    with path.open("rb") as file:
        if file.read(2) != b"PK":
            return
    if not zipfile.is_zipfile(path):
        raise InputError("is not a whole file; was its writing or copying cut short?", path)
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            if any(part.compress_type != zipfile.ZIP_STORED for part in parts):
                raise InputError("its parts are compressed, which torch.save never does; was it zipped again?", path)
            if sum(part.file_size for part in parts) > path.stat().st_size:
                raise InputError("damaged: its parts are larger than the file", path)
            for part in parts:
                with archive.open(part) as content:
                    while content.read(_CHUNK):
                        pass
    except _BROKEN_ZIP as error:
        raise InputError(f"damaged: {first_line(error)}", path) from None


def checked_weights(weights: Any, path: str | PathLike[str]) -> dict[str, Tensor]:
    """Tensors by name, all of whose numbers are finite.

    Raises:
        InputError: something else.
    """
    if not isinstance(weights, Mapping) or not all(isinstance(one, Tensor) for one in weights.values()):
        raise InputError("damaged: expected weights by name", path)
    for name, tensor in weights.items():
        if tensor.is_floating_point() and tensor.numel() and not _is_finite(tensor):
            raise InputError(f"{name} holds numbers that are not finite; a run that diverged, or damaged", path)
    return dict(weights)


def _is_finite(tensor: Tensor) -> bool:
    least, most = torch.aminmax(tensor.detach().float())  # a nan among the numbers is both
    return bool(torch.isfinite(least) and torch.isfinite(most))


@contextlib.contextmanager
def damage_named(path: str | PathLike[str] | None) -> Iterator[None]:
    """What goes wrong while values of a file are taken apart is said of that file, in one line."""
    try:
        yield
    except InputError as error:
        if path is None or error.file == str(path):
            raise
        raise InputError(f"what is inside it is at fault: {error}", path) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RuntimeError) as error:
        if path is None:
            raise
        reason = f"lacks {error}" if isinstance(error, KeyError) else first_line(error)
        raise InputError(f"damaged: {reason}", path) from None


def first_line(error: BaseException) -> str:
    """The first line of an error's message, with the second one where that is what it announces."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return " ".join(line.strip() for line in lines[: 1 + lines[0].endswith(":")])
