"""Divides the rows of one file into train, valid and test (the key ``split`` of the corpora file)."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Sequence

from skill_plugin.errors import counted
from skill_plugin.spec.corpus import Cut


class UndividedError(Exception):
    """The rows cannot be divided as asked. ``line`` is the line of the key in the corpora file."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def divide_rows(cut: Cut, keys: Sequence[str | None]) -> list[str]:
    """Chooses the split of each row.

    Keys are ordered by a hash of seed and key. The first ones become valid, the next ones test. Rows with one key stay
    together; a split takes keys until one more would lead further from its size. So when rows are added or moved, the
    other rows stay in their splits, except for a few at the borders of the splits.

    Args:
        cut: the sizes of the splits, as numbers of rows, or as shares of the rows that have a key.
        keys: the key of each row, such as its text or article [rows]. A row that is broken or left out has None, and
            goes into the split of the row before it.

    Returns:
        ``train``, ``valid`` or ``test`` [rows].

    Raises:
        UndividedError: no row would be left to train.
    """
    rows = Counter(key for key in keys if key is not None)
    total = rows.total()
    wanted = {name: size if isinstance(size, int) else round(size * total) for name, size in cut.sizes.items()}
    if total and sum(wanted.values()) >= total:
        message = f"{counted(sum(wanted.values()), 'row')} for {' and '.join(wanted)}, but the file has {total:,}"
        raise UndividedError(message, cut.line)
    left = sorted(rows, key=lambda key: _hash(cut.seed, key), reverse=True)
    split_of: dict[str | None, str] = {}
    for name, size in wanted.items():
        taken = 0
        while left and (not taken or abs(taken + rows[left[-1]] - size) < abs(taken - size)):
            taken += rows[left[-1]]
            split_of[left.pop()] = name
    if total and not left:
        parts = counted(len(rows), "text or article", "texts or articles")
        message = f"no row is left to train: the {total:,} rows are of {parts}"
        raise UndividedError(message, cut.line)
    found: list[str] = []
    for key in keys:
        found.append(split_of.get(key, "train") if key is not None else found[-1] if found else "train")
    return found


def row_key(text: str, values: Sequence[object]) -> str:
    """The key of a row: its first text, with spaces and accents in one form; all values if the text is empty."""
    return " ".join(unicodedata.normalize("NFC", text).split()) or repr(values)


def _hash(seed: int, key: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{key}".encode("utf-8", "surrogatepass")).digest()
