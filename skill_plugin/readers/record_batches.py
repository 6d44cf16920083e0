"""Rows of Arrow's record batches, as Parquet and Arrow files give them."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from skill_plugin.files.repeated_keys import SeveralValues, mark_repeated
from skill_plugin.readers.json_values import make_rows
from skill_plugin.readers.row import BadRow, Row, UnreadableError, Wanted
from skill_plugin.spec.corpus import Corpus

BATCH = 1024  # rows that are read at a time


def read_batches(
    corpus: Corpus, batches: Iterator[Any], wanted: Wanted, path: Path, what: str, before: int = 0
) -> Generator[Row | BadRow, None, int]:
    """The rows of batches; a line number is the number of a row, from 1.

    Args:
        corpus: of which the rows are.
        batches: pyarrow's ``RecordBatch``, in order.
        wanted: the columns to read.
        path: the file, for messages.
        what: the name of its format, for messages.
        before: how many rows there were in files before this one.

    Returns:
        How many there are with those of this file.

    Raises:
        UnreadableError: the file is damaged from some row on.
    """
    number = before
    while True:
        try:
            batch = next(batches, None)
            if batch is None:
                return number
            batch.validate(full=True)
            rows = _row_dicts(batch)
        except Exception as error:  # noqa: BLE001 - whatever the library says of damaged bytes
            raise damaged(path, number + 1, what, error) from None
        for row in rows:
            number += 1
            try:
                value = plain_value(row)
            except UnicodeDecodeError:
                yield BadRow(number, "not text", f"row {number} has bytes that are not UTF-8; expected text", path)
                continue
            yield from (_with_file(item, path) for item in make_rows(corpus, number, value, wanted))


def _row_dicts(batch: Any) -> Iterable[dict[str, Any]]:
    """The rows, each by the names of columns, of which a table may have two of one name, as a map may have a key."""
    names = batch.schema.names
    once = len(set(names)) == len(names)
    try:
        if once:
            return batch.to_pylist(maps_as_pydicts="strict")  # type: ignore[no-any-return]
        columns = [column.to_pylist(maps_as_pydicts="strict") for column in batch.columns]
    except KeyError:  # a key that a map has twice
        columns = [[_with_maps(value, column.type) for value in column.to_pylist()] for column in batch.columns]
    return [mark_repeated(list(zip(names, values, strict=True))) for values in zip(*columns, strict=True)]


def _with_maps(value: Any, kind: Any) -> Any:
    """A value of a type of pyarrow's, with an object in place of the pairs that a map is."""
    if value is None or not kind.num_fields:
        return value
    if isinstance(value, dict):  # a struct
        return {field.name: _with_maps(value[field.name], field.type) for field in kind}
    if hasattr(kind, "item_type"):
        return mark_repeated([(key, _with_maps(one, kind.item_type)) for key, one in value])
    return [_with_maps(one, kind.value_type) for one in value] if hasattr(kind, "value_type") else value


def damaged(path: Path, line: int | None, what: str, error: Exception) -> UnreadableError:
    """How a person is told of what pyarrow says of a file."""
    reason = str(error).strip().split("\n")[0] or type(error).__name__
    return UnreadableError(line, f"not a whole {what} file from here on ({reason[:200]})", path)


def plain_value(value: Any) -> Any:
    """A value as JSON has it: bytes as text, dates, times and decimal numbers as they are written.

    Raises:
        UnicodeDecodeError: bytes are not UTF-8.
    """
    if value is None or isinstance(value, str | int | float | SeveralValues):
        return value
    if isinstance(value, dict):
        return {str(key): plain_value(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(one) for one in value]
    return value.decode() if isinstance(value, bytes) else str(value)


def _with_file(item: Row | BadRow, path: Path) -> Row | BadRow:
    return replace(item, file=path) if isinstance(item, BadRow) else item
