"""Packed files: which they are by the end of their names, and how they are read."""

from __future__ import annotations

import gzip
import io
import lzma
import sys
import zlib
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from skill_plugin.readers.extra import import_extra
from skill_plugin.readers.row import UnreadableError

PACKED = {".gz": "gzip", ".xz": "xz", ".zst": "zstd"}  # end of the name -> how it is packed
MOST_BYTES = 1 << 30  # of a packed file that is read as a whole, since few bytes can be packed gigabytes


def is_packed(path: Path) -> bool:
    """Whether the name of a file says that it is packed."""
    return path.suffix in PACKED


def open_unpacked(path: Path) -> BufferedReader:
    """Opens a file, which is unpacked as it is read if its name says that it is packed.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: it is packed by zstd, and what reads that is not installed.
    """
    if path.suffix == ".gz":
        return cast(BufferedReader, gzip.open(path))
    if path.suffix == ".xz":
        return cast(BufferedReader, lzma.open(path))
    if path.suffix == ".zst":
        return cast(BufferedReader, import_extra("backports.zstd", "files packed by zstd").open(path))
    return open(path, "rb")


def unpacking_errors() -> tuple[type[Exception], ...]:
    """What reading a packed file raises that is damaged, or that is not packed so."""
    zstd = sys.modules.get("backports.zstd")
    return (gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError, *([] if zstd is None else [zstd.ZstdError]))


def unpacking_fault(path: Path, line: int | None, error: Exception) -> UnreadableError:
    """How a person is told of one of ``unpacking_errors``."""
    return UnreadableError(line, f"not a whole {PACKED.get(path.suffix, 'packed')} file from here on ({error})")


def open_seekable(path: Path) -> BinaryIO:
    """Opens a file of a format that is not read from its beginning to its end; a packed one is unpacked in memory.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: a packed file is damaged, or too large.
    """
    if not is_packed(path):
        return open(path, "rb")
    content = io.BytesIO()
    try:
        with open_unpacked(path) as file:
            while piece := file.read1(1 << 20):
                content.write(piece)
                if content.tell() > MOST_BYTES:
                    raise UnreadableError(None, f"the file unpacks to more than {MOST_BYTES:,} bytes; unpack it")
    except unpacking_errors() as error:
        raise unpacking_fault(path, None, error) from None
    content.seek(0)
    return content
