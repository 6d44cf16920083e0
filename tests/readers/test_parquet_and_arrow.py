"""Parquet and Arrow: what is written is read back with its types, and damage is told in one line."""

from __future__ import annotations

import datetime
import io
import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.readers import SplitData, read_split
from skill_plugin.readers.record_batches import plain_value
from tests.readers.test_json_and_lines import COLUMNS, corpus_of, pairs, problems

FORMATS = ("parquet", "stream", "file")


def written(table: pa.Table, how: str, chunk: int = 1000) -> bytes:
    out = io.BytesIO()
    if how == "parquet":
        pyarrow.parquet.write_table(table, out, row_group_size=chunk)
    elif how == "stream":
        with pa.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=chunk)
    else:
        pyarrow.feather.write_feather(table, out, chunksize=chunk)
    return out.getvalue()


def read(folder: Path, content: bytes, how: str, *options: str) -> SplitData:
    (folder / "train.txt").write_bytes(content)
    return read_split(corpus_of(folder, f"format: {'parquet' if how == 'parquet' else 'arrow'}", *options), "train")


@pytest.mark.parametrize("how", FORMATS[:2])
def test_two_columns_of_one_name(tmp_path: Path, how: str) -> None:
    columns = {"a": ["x", "y"], "b": ["s", "t"], "l": [1, 2], "id": [1, 2]}
    values = [pa.array(column) for column in (*columns.values(), ["x", "z"], [8, 9])]
    table = pa.Table.from_arrays(values, [*columns, "a", "id"])
    split = read(tmp_path, written(table, how), how, COLUMNS)
    assert [example.texts for example in split.examples] == [("x", "s")]
    assert problems(split) == [(2, "the row has the column 'a' more than once, with different values")]


@pytest.mark.parametrize("how", FORMATS)
def test_a_map_that_has_a_key_twice(tmp_path: Path, how: str) -> None:
    """As a JSON object: a value is lost in the first row alone, and what others have is as it was."""
    maps = [[("a", "x"), ("a", "y"), ("b", "s")], [("a", "z"), ("a", "z"), ("b", "t")], [("a", "u"), ("b", "v")]]
    inner = pa.struct({"of": pa.list_(pa.map_(pa.string(), pa.string()))})
    table = pa.table(
        {
            "m": pa.array(maps, pa.map_(pa.string(), pa.string())),
            "items": pa.array([{"of": [pairs]} for pairs in maps], inner),
            "l": pa.array([1, 2, 3]),
        }
    )
    split = read(tmp_path, written(table, how), how, "columns: {text_a: m.a, text_b: m.b, label: l}")
    assert [example.texts for example in split.examples] == [("z", "t"), ("u", "v")]
    assert problems(split) == [(1, "the row has the column 'm.a' more than once, with different values")]
    split = read(tmp_path, written(table, how), how, "columns: {text_a: a, text_b: b, label: l}", "each: items.of")
    assert [example.texts for example in split.examples] == [("z", "t"), ("u", "v")]


@given(pairs, st.sampled_from(FORMATS), st.integers(1, 3))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list, how: str, chunk: int
) -> None:
    table = pa.Table.from_pylist([{"a": a, "b": b, "l": 7, "unused": [1, None]} for a, b in rows])
    split = read(tmp_path_factory.mktemp("arrow"), written(table, how, chunk), how, COLUMNS)
    assert [(e.texts, e.answer, e.line) for e in split.examples] == [(row, "7", i + 1) for i, row in enumerate(rows)]
    assert split.faults == []


@pytest.mark.parametrize("how", FORMATS)
def test_columns_inside_others_and_rows_inside_rows(tmp_path: Path, how: str) -> None:
    rows = [{"p": {"t": "text"}, "q.r": "x", "items": [{"l": True}, {"l": False}]}, {"p": {"t": "u"}, "items": []}]
    content = written(pa.Table.from_pylist([*rows, {"p": {"t": "v"}, "items": [{"l": True}], "q.r": "y"}]), how, 1)
    columns = "columns: {text_a: p.t, text_b: q.r, label: l}"
    split = read(tmp_path, content, how, columns, "each: items")
    assert [(e.texts, e.answer, e.line) for e in split.examples] == [
        (("text", "x"), "true", 1), (("text", "x"), "false", 1), (("v", "y"), "true", 3)
    ]  # fmt: skip


def test_values_of_types_that_json_does_not_have() -> None:
    value = {"b": b"\xc3\xa9", "d": [datetime.date(2024, 1, 2)], 3: None, "t": (1, 2.5)}
    assert plain_value(value) == {"b": "é", "d": ["2024-01-02"], "3": None, "t": [1, 2.5]}


def test_bytes_that_are_no_text_are_a_fault_of_their_row(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([b"x", b"\xff"], pa.binary()), "l": ["p", "q"]})
    split = read(tmp_path, written(table, "parquet"), "parquet", "columns: {text_a: a, label: l}")
    assert problems(split) == [(2, "row 2 has bytes that are not UTF-8; expected text")]
    assert [e.texts for e in split.examples] == [("x",)]


def test_a_missing_column_names_those_that_there_are(tmp_path: Path) -> None:
    split = read(tmp_path, written(pa.table({"a": ["x"], "lab": ["y"]}), "parquet"), "parquet", COLUMNS)
    assert problems(split)[0][1].startswith("the row has no column 'b': the keys are ['a', 'lab']")


@pytest.mark.parametrize("how", FORMATS)
def test_a_file_that_is_cut_is_told_in_one_line(tmp_path: Path, how: str) -> None:
    content = written(pa.Table.from_pylist([{"a": "text " * 9, "b": "", "l": "y"}] * 40), how, 8)
    for size in range(1, len(content), 97):
        for fault in read(tmp_path, content[:size], how, COLUMNS).faults:
            assert "file from here on" in fault.message and "\n" not in str(fault), fault
    assert read(tmp_path, b"no such thing", how, COLUMNS).faults


def save_to_disk(folder: Path, table: pa.Table, files: int) -> None:
    """As ``datasets.Dataset.save_to_disk``."""
    folder.mkdir(parents=True)
    names = [f"data-{number:05}-of-{files:05}.arrow" for number in range(files)]
    size = -(-len(table) // files)
    for number, name in enumerate(names):
        (folder / name).write_bytes(written(table.slice(number * size, size), "stream"))
    state = {"_data_files": [{"filename": name} for name in names], "_fingerprint": "x", "_split": "train"}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "dataset_info.json").write_text("{}")


def test_a_data_set_that_was_saved_to_disk(tmp_path: Path) -> None:
    rows = [{"a": f"text {number}", "b": "", "l": "y"} for number in range(5)]
    save_to_disk(tmp_path / "set/train", pa.Table.from_pylist(rows), 2)
    (tmp_path / "set/dataset_dict.json").write_text('{"splits": ["train"]}')
    options = ("format: arrow", COLUMNS)
    split = read_split(corpus_of(tmp_path, *options, train="set/train"), "train")
    assert [(e.texts[0], e.line) for e in split.examples] == [(f"text {n}", n + 1) for n in range(5)]
    whole = read_split(corpus_of(tmp_path, *options, train="set"), "train")
    assert problems(whole) == [(None, "the folder holds several data sets; name one of them: train")]
    (tmp_path / "set/train/data-00001-of-00002.arrow").unlink()
    (fault,) = read_split(corpus_of(tmp_path, *options, train="set/train"), "train").faults
    assert "data-00001-of-00002.arrow: No such file" in fault.message
    for state, message in (
        ("{", "does not say which files"),
        ('{"_data_files": [], "_indices_files": [{"filename": "i"}]}', "flatten_indices()"),
    ):
        (tmp_path / "set/train/state.json").write_text(state)
        (fault,) = read_split(corpus_of(tmp_path, *options, train="set/train"), "train").faults
        assert message in fault.message and fault.file.endswith("state.json")
    (tmp_path / "set/train/state.json").unlink()
    (fault,) = read_split(corpus_of(tmp_path, *options, train="set/train"), "train").faults
    assert "no state.json" in fault.message


def test_a_folder_is_none_of_the_other_formats(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (fault,) = read_split(corpus_of(tmp_path, "format: parquet", COLUMNS, train="set"), "train").faults
    assert "Is a directory" in fault.message


@pytest.mark.parametrize("how", ["parquet", "stream"])
def test_without_pyarrow_one_line_says_what_to_install(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = written(pa.table({"a": ["x"], "b": ["x"], "l": ["y"]}), how)
    for name in ("pyarrow.parquet", "pyarrow.ipc"):
        monkeypatch.setitem(sys.modules, name, None)
    (fault,) = read(tmp_path, content, how, COLUMNS).faults
    assert fault.message.endswith("which is not installed: pip install 'skill-plugin[formats]'")
