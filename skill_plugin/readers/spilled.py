"""What is kept until all rows have been read: in memory while it is little, in a temporary file when it is much."""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import Any, Generic, TypeVar

BLOCK = 1024  # objects that are written and read together
MEMORY = 1 << 24  # bytes that may stay in memory
_Kept = TypeVar("_Kept")


class SpilledBlocks(Generic[_Kept]):
    """Objects of some size, which are appended, and read as often as needed."""

    def __init__(self) -> None:
        self._file: SpooledTemporaryFile[bytes] = SpooledTemporaryFile(MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._places: list[int] = []
        self._end = 0

    def __len__(self) -> int:
        return len(self._places)

    def append(self, block: _Kept) -> None:
        self._places.append(self._end)
        self._file.seek(self._end)
        pickle.dump(block, self._file, pickle.HIGHEST_PROTOCOL)
        self._end = self._file.tell()

    def __getitem__(self, number: int) -> _Kept:
        self._file.seek(self._places[number])
        block: _Kept = pickle.load(self._file)
        return block

    def __iter__(self) -> Iterator[_Kept]:
        return map(self.__getitem__, range(len(self)))


class SpilledList(Generic[_Kept]):
    """Small objects, such as rows, which are appended, and gone through as often as needed."""

    def __init__(self) -> None:
        self._blocks: SpilledBlocks[list[Any]] = SpilledBlocks()
        self._waiting: list[_Kept] = []

    def append(self, item: _Kept) -> None:
        self._waiting.append(item)
        if len(self._waiting) >= BLOCK:
            self._blocks.append(self._waiting)
            self._waiting = []

    def __iter__(self) -> Iterator[_Kept]:
        for block in self._blocks:
            yield from block
        yield from self._waiting
