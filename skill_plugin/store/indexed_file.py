"""fairseq's indexed files (``MMapIndexedDataset``) in numpy: ``PREFIX.bin`` holds all ids end to end, ``PREFIX.idx``
where each row lies.

The index is: 9 bytes of magic, version 1 (uint64), a code of the number type (uint8), the number of rows n (uint64),
n sizes (int32) and n byte positions (int64), all little-endian. Rows lie end to end in their order. So sizes and
positions say the same, and damage to either is noticed.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError, reason_of

_MAGIC = b"MMIDIDX\x00\x00"
_HEADER = struct.Struct("<9sQBQ")
_TYPES: dict[int, type[np.generic]] = {  # 6 and 7 are fractions
    1: np.uint8,
    2: np.int8,
    3: np.int16,
    4: np.int32,
    5: np.int64,
    8: np.uint16,
    9: np.uint32,
    10: np.uint64,
}


class IndexedWriter:
    """Writes rows of ids as ``fairseq-preprocess`` does, in the smallest number type that it would take; a context
    manager, which writes the index at its end.

    Args:
        prefix: path without ``.bin`` and ``.idx``.
        vocabulary_size: the size of the dictionary, which decides the number type.
    """

    def __init__(self, prefix: str | PathLike[str], vocabulary_size: int) -> None:
        self._prefix = prefix
        self._type: type[np.generic] = np.uint16 if vocabulary_size < 65500 else np.uint32  # fairseq's own limit
        self._sizes: list[npt.NDArray[np.int32]] = [np.zeros(0, np.int32)]
        self._data = open(f"{prefix}.bin", "wb")  # noqa: SIM115

    def write(self, flat: npt.ArrayLike, lengths: npt.ArrayLike) -> None:
        """Appends rows: their ids end to end, and how many each has."""
        self._data.write(np.asarray(flat, self._type).tobytes())
        self._sizes.append(np.asarray(lengths, np.int32))

    def __enter__(self) -> IndexedWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._data.close()
        if kind is not None:
            return
        sizes = np.concatenate(self._sizes)
        starts = np.zeros(len(sizes), np.int64)
        np.cumsum(sizes[:-1], out=starts[1:], dtype=np.int64)
        starts *= np.dtype(self._type).itemsize
        code = next(code for code, known in _TYPES.items() if known is self._type)
        with open(f"{self._prefix}.idx", "wb") as index:
            index.write(_HEADER.pack(_MAGIC, 1, code, len(sizes)))
            index.write(sizes.data)
            index.write(starts.data)


def write_indexed(prefix: str | PathLike[str], arrays: Iterable[npt.ArrayLike], vocabulary_size: int) -> int:
    """Writes rows one by one; see ``IndexedWriter``.

    Args:
        prefix: path without ``.bin`` and ``.idx``.
        arrays: the rows, each of any length.
        vocabulary_size: the size of the dictionary, which decides the number type.

    Returns:
        The number of rows.
    """
    rows = 0
    with IndexedWriter(prefix, vocabulary_size) as writer:
        for rows, array in enumerate(arrays, 1):  # noqa: B007  counted
            row = np.asarray(array)
            writer.write(row, [row.size])
    return rows


class IndexedFile:
    """Rows of an indexed file, read as they are asked for.

    Args:
        prefix: path without ``.bin`` and ``.idx``.
        cut: how many tokens are left out at the end of each row: 1 for the end symbol that ``fairseq-preprocess``
            appends.
        trusted: whether the file is known to be as it was written; then its index is not looked at row by row.
        chosen: numbers of the rows that are read; None for all.

    Attributes:
        sizes: int32 [n], the stored tokens of each row, including those that ``cut`` leaves out.

    Raises:
        InputError: a file is missing, damaged or of another format.
    """

    def __init__(
        self,
        prefix: str | PathLike[str],
        cut: int = 0,
        trusted: bool = False,
        chosen: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self.prefix, self.cut, self.trusted, self.chosen = str(prefix), cut, trusted, chosen
        index = Path(f"{self.prefix}.idx")
        try:
            raw = mapped(index)
            bytes_of_data = Path(f"{self.prefix}.bin").stat().st_size
        except OSError as error:
            raise InputError(reason_of(error), error.filename) from None
        if raw[: len(_MAGIC)] != _MAGIC or len(raw) < _HEADER.size:
            raise InputError("not an index of fairseq's mmap format (fairseq-preprocess --dataset-impl mmap)", index)
        _, version, code, rows = _HEADER.unpack_from(raw)
        if version != 1 or code not in _TYPES or len(raw) != _HEADER.size + 12 * rows:
            raise InputError("the index is damaged or of another version", index)
        self.sizes: npt.NDArray[np.int32] = np.frombuffer(raw, "<i4", rows, _HEADER.size)
        self._bytes_before: npt.NDArray[np.int64] = np.frombuffer(raw, "<i8", rows, _HEADER.size + 4 * rows)
        kind = np.dtype(_TYPES[code])
        if rows and not trusted:
            starts = np.cumsum(self.sizes, dtype=np.int64) - self.sizes
            if int(self.sizes.min()) < 0 or not np.array_equal(self._bytes_before, starts * kind.itemsize):
                raise InputError("the index is damaged: its rows do not lie end to end", index)
        expected = int(self._bytes_before[-1]) + int(self.sizes[-1]) * kind.itemsize if rows else 0
        if bytes_of_data != expected:
            than = "shorter" if bytes_of_data < expected else "longer"
            raise InputError(f"is {than} than its index says", f"{self.prefix}.bin")
        if rows and not trusted and int(self.sizes.min()) < cut:
            raise InputError(f"row {int(self.sizes.argmin())} is empty: it lacks its end symbol", f"{self.prefix}.bin")
        # an array of its own over the mapping: parts of a ``memmap`` take five times as long to be made
        self._data: np.ndarray[Any, Any] = (
            np.asarray(np.memmap(f"{self.prefix}.bin", mode="r", dtype=kind)) if bytes_of_data else np.zeros(0, kind)
        )
        if chosen is not None:
            self.sizes, self._bytes_before = self.sizes[chosen], self._bytes_before[chosen]

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, row: int) -> npt.NDArray[np.int64]:
        """The ids of a row, int64 [T], without those that ``cut`` leaves out."""
        start, size = int(self._bytes_before[row]) // self._data.itemsize, int(self.sizes[row])
        return np.asarray(self._data[start : start + size - self.cut], dtype=np.int64)

    def take(self, rows: npt.NDArray[np.int64]) -> IndexedFile:
        """Some of the rows, which are all that it has then; ``values`` and what is said of ids stay the file's."""
        return IndexedFile(self.prefix, self.cut, self.trusted, rows if self.chosen is None else self.chosen[rows])

    def last(self) -> npt.NDArray[np.int64]:
        """The last stored token of every row, int64 [n]; no row may be empty."""
        return np.asarray(self._data[self._bytes_before // self._data.itemsize + self.sizes - 1], dtype=np.int64)

    def values(self) -> npt.NDArray[np.int64]:
        """All ids of the file end to end, int64, including those that ``cut`` leaves out."""
        return np.asarray(self._data, dtype=np.int64)

    def largest(self) -> int:
        """The largest id of the file; -1 if it holds none."""
        return int(self._data.max()) if len(self._data) else -1

    def smallest(self) -> int:
        """The smallest id of the file; 0 if it holds none."""
        return int(self._data.min()) if len(self._data) else 0

    def used(self) -> list[int]:
        """The ids that occur in the file, sorted, including those that ``cut`` leaves out."""
        found = np.zeros(self.largest() + 1, bool)
        found[self._data] = True
        return [int(i) for i in np.flatnonzero(found)]

    def __reduce__(self) -> tuple[type[IndexedFile], tuple[str, int, bool, npt.NDArray[np.int64] | None]]:
        return type(self), (self.prefix, self.cut, self.trusted, self.chosen)  # a worker process maps the file again


def mapped(path: Path) -> mmap.mmap | bytes:
    """The content of a file, of which only what is looked at is read."""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if os.fstat(file.fileno()).st_size else b""
