"""The original texts of a split, stored beside its ids for scoring: one JSON object for each row."""

from __future__ import annotations

import json
from functools import cached_property
from json.encoder import encode_basestring
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from skill_plugin.errors import InputError, counted, reason_of
from skill_plugin.readers.example import Example
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.store.indexed_file import mapped
from skill_plugin.text.tokenizer import replace_surrogates

_EXAMPLE = TypeAdapter(Example)


def write_text_rows(path: Path, examples: ExampleRows) -> None:
    """Writes the examples, one a line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for block in examples.blocks():
            plain = all(column is None for column in (block.candidates, block.words, block.spans, block.ids))
            file.write(replace_surrogates("".join(map(_plain_line if plain else _line, block))))


def _line(example: Example) -> str:
    usual = Example._field_defaults
    row = {name: value for name, value in example._asdict().items() if name not in usual or value != usual[name]}
    return json.dumps(row, ensure_ascii=False) + "\n"


def _plain_line(example: Example) -> str:
    """``_line`` of an example without rare values, in a third of its time."""
    texts, answer, file, line, *_ = example
    written = encode_basestring(answer) if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    joined = ", ".join(map(encode_basestring, texts))
    return f'{{"texts": [{joined}], "answer": {written}, "file": {encode_basestring(file)}, "line": {line}}}\n'


class TextRows:
    """The examples of a split, read one by one as they are asked for.

    They stay those of the file that was there at first, as the ids do, also where ``prepare`` replaces it meanwhile.

    Args:
        path: a file that ``write_text_rows`` wrote.
        rows: the number of rows that it must hold.

    Raises:
        InputError: the file cannot be read; once a row is asked for, it has another number of rows, or that row is
            damaged.
    """

    def __init__(self, path: Path, rows: int) -> None:
        self.path, self._rows = path, rows
        try:
            self._content = mapped(path)
        except OSError as error:
            raise InputError(reason_of(error), path) from None

    def __len__(self) -> int:
        return self._rows

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        ends = np.flatnonzero(np.frombuffer(self._content, np.uint8) == ord("\n"))
        if len(ends) != self._rows:
            raise InputError(f"has {counted(len(ends), 'row')}, the ids beside it have {self._rows:,}", self.path)
        return np.concatenate([[0], ends + 1])

    def __getitem__(self, row: int) -> Example:
        line = bytes(self._content[int(self._starts[row]) : int(self._starts[row + 1])])
        try:
            return _EXAMPLE.validate_json(line, strict=True)
        except ValidationError:
            raise InputError("not a row that 'skill-plugin prepare' wrote", self.path, row + 1) from None

    def __reduce__(self) -> tuple[type[TextRows], tuple[Path, int]]:
        return type(self), (self.path, self._rows)  # a worker process maps the file again
