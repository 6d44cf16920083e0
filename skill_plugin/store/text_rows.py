"""The original texts of a split, beside its ids: what scoring and reports show (one JSON object a row)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError
from skill_plugin.readers.example import Example
from skill_plugin.text.tokenizer import without_surrogates


def write_text_rows(path: Path, examples: Sequence[Example]) -> None:
    """Writes the examples, one a line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for example in examples:
            row = {name: value for name, value in example._asdict().items() if value not in ((), "")}
            row["texts"] = [without_surrogates(text) for text in example.texts]
            file.write(without_surrogates(json.dumps({**row, "answer": example.answer}, ensure_ascii=False)) + "\n")


class TextRows:
    """The examples of a split, read one by one as they are asked for.

    Args:
        path: what ``write_text_rows`` wrote.

    Raises:
        InputError: no such file.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise InputError("no such file; this kind is scored on the original texts: 'skill-plugin prepare'", path)
        self.path = path

    @cached_property
    def _starts(self) -> npt.NDArray[np.int64]:
        data = np.fromfile(self.path, np.uint8)
        return np.concatenate([[0], np.flatnonzero(data == ord("\n")) + 1]).astype(np.int64)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, row: int) -> Example:
        with self.path.open("rb") as file:
            file.seek(int(self._starts[row]))
            raw = json.loads(file.readline())
        return Example(**{name: _tuples(value) for name, value in raw.items()})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
