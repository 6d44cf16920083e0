"""Parquet, Arrow and spreadsheets: their columns have names and types of their own."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

from skill_plugin.errors import counted
from skill_plugin.guessing.column import Column
from skill_plugin.guessing.header import find_header
from skill_plugin.guessing.json_layout import columns_of
from skill_plugin.guessing.layout import SAMPLED_LINES, Layout
from skill_plugin.readers.arrow import list_files
from skill_plugin.readers.extra import import_extra
from skill_plugin.readers.packed import open_seekable
from skill_plugin.readers.record_batches import damaged, plain_value
from skill_plugin.readers.xlsx import read_sheets


def parquet_layout(path: Path) -> Layout:
    """The layout of a Parquet file, by its first rows.

    Raises:
        UnreadableError: it is damaged.
    """
    parquet = import_extra("pyarrow.parquet", "Parquet files")
    with open_seekable(path) as file:
        try:
            opened = parquet.ParquetFile(file)
            batch = next(opened.iter_batches(SAMPLED_LINES, use_threads=False), None)
            rows = [] if batch is None else [plain_value(row) for row in batch.to_pylist(maps_as_pydicts="lossy")]
            schema = opened.schema_arrow
        except Exception as error:  # noqa: BLE001 - whatever the library says of damaged bytes
            raise damaged(path, 1, "Parquet", error) from None
    return Layout("parquet", f"a Parquet file with {counted(len(schema.names), 'column')}", _columns(rows, schema))


def arrow_layout(path: Path) -> Layout:
    """The layout of an Arrow file or of the first file of a folder, by its first rows.

    Raises:
        UnreadableError: it is damaged.
    """
    ipc = import_extra("pyarrow.ipc", "Arrow files")
    first = list_files(path)[0]
    with open_seekable(first) as file:
        try:
            magic = file.read(6)
            file.seek(0)
            stream = ipc.open_file(file) if magic == b"ARROW1" else ipc.open_stream(file)
            schema = stream.schema
            batches = map(stream.get_batch, range(stream.num_record_batches)) if magic == b"ARROW1" else iter(stream)
            rows = [row for batch in islice(batches, 4) for row in batch.slice(0, SAMPLED_LINES).to_pylist()]
        except Exception as error:  # noqa: BLE001 - whatever the library says of damaged bytes
            raise damaged(first, 1, "Arrow", error) from None
    what = "a data set that was saved to disk" if path.is_dir() else "an Arrow file"
    what = f"{what}, with {counted(len(schema.names), 'column')}"
    return Layout("arrow", what, _columns(list(map(plain_value, rows)), schema))


def xlsx_layout(path: Path) -> Layout | str:
    """The layout of the first sheet of a workbook; in words why there is none."""
    sheets = read_sheets(path)
    name, rows = next(iter(sheets.items()))
    rows = [row for row in rows if row]
    width = max(map(len, rows), default=0)
    if not width:
        return "the first sheet is empty"
    rows = [[*row, *[""] * (width - len(row))] for row in rows[:SAMPLED_LINES]]
    header, reason = find_header(rows, width)
    names: list[Any] = [cell or place for place, cell in enumerate(rows[0])] if header else [*range(width)]
    cells = rows[1:] if header else rows
    columns = [Column(one, [row[place] for row in cells]) for place, one in enumerate(names)]
    layout = Layout("xlsx", f"the sheet {name!r} with {width} columns ({reason})", columns)
    if not header:
        layout.keys["header"] = (False, reason)
    if len(sheets) > 1:
        layout.keys["sheet"] = (name, f"the first of {', '.join(map(repr, sheets))}")
    return layout


def _columns(rows: list[Any], schema: Any) -> list[Column]:
    columns = columns_of(rows)
    classes = _classes(schema.metadata or {})
    for column in columns:
        column.classes = classes.get(str(column.reference), ())
    return columns


def _classes(metadata: dict[bytes, bytes]) -> dict[str, tuple[str, ...]]:
    """Names of classes that the library ``datasets`` keeps with numbers, also of lists of numbers."""
    try:
        features = json.loads(metadata[b"huggingface"])["info"]["features"]
        found = {}
        for name, feature in features.items():
            while isinstance(feature, dict) and "feature" in feature:
                feature = feature["feature"]
            if isinstance(feature, dict) and isinstance(feature.get("names"), list):
                found[name] = tuple(map(str, feature["names"]))
    except (KeyError, ValueError, TypeError, AttributeError):
        return {}
    return found
