"""xlsx: cells are read as a spreadsheet shows them."""

from __future__ import annotations

import datetime
import io
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.readers import SplitData, read_split
from tests.readers.test_json_and_lines import corpus_of, problems

COLUMNS = "columns: {text_a: a, label: l}"
cells = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"))


def workbook(**sheets: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def read(folder: Path, content: bytes, *options: str) -> SplitData:
    (folder / "train.txt").write_bytes(content)
    return read_split(corpus_of(folder, "format: xlsx", *options), "train")


@given(st.lists(cells.filter(lambda text: not text.startswith("=") and text.strip() == text and text), min_size=1))
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    content = workbook(one=[["a", "l"], *([text, "y"] for text in texts)])
    split = read(tmp_path_factory.mktemp("xlsx"), content, COLUMNS)
    assert [(e.texts, e.answer, e.line) for e in split.examples] == [((t,), "y", n) for n, t in enumerate(texts, 2)]


def test_numbers_truth_and_dates_are_text(tmp_path: Path) -> None:
    rows = [[2012, 1.0], [2.5, True], [datetime.date(2024, 5, 6), False], ["x", "y"]]
    split = read(tmp_path, workbook(one=[["a", "l"], *rows]), COLUMNS)
    assert [(e.texts[0], e.answer) for e in split.examples] == [
        ("2012", "1"), ("2.5", "true"), ("2024-05-06", "false"), ("x", "y")
    ]  # fmt: skip


def test_blank_rows_and_cells(tmp_path: Path) -> None:
    rows = [["a", "l", None], ["x", "p"], [], [None, "q"], ["z", "r", "more"], [], [None, None]]
    split = read(tmp_path, workbook(one=rows), COLUMNS)
    assert [e.texts[0] for e in split.examples] == ["x", "", "z"]  # the third column is one without a name
    assert problems(split) == [(3, "a blank line; expected 3 cells")]


def test_without_header(tmp_path: Path) -> None:
    split = read(tmp_path, workbook(one=[["x", "p"], ["y", "q"]]), "header: false", "columns: {text_a: 0, label: -1}")
    assert [(e.texts[0], e.answer) for e in split.examples] == [("x", "p"), ("y", "q")]


def test_sheets(tmp_path: Path) -> None:
    content = workbook(train=[["a", "l"], ["x", "p"]], dev=[["a", "l"], ["y", "q"]])
    first = read(tmp_path, content, COLUMNS)
    assert [e.texts[0] for e in first.examples] == ["x"]
    assert [n.message for n in first.notices] == ["the sheet 'train' is read; sheet: NAME reads another one: 'dev'"]
    second = read(tmp_path, content, COLUMNS, "sheet: dev")
    assert [e.texts[0] for e in second.examples] == ["y"] and second.notices == []
    assert problems(read(tmp_path, content, COLUMNS, "sheet: def")) == [
        (1, "the workbook has no sheet 'def'; did you mean 'dev'?")
    ]


def test_damage_is_told_in_one_line(tmp_path: Path) -> None:
    content = workbook(one=[["a", "l"], *[["text", "y"]] * 30])
    for size in range(1, len(content), 499):
        faults = read(tmp_path, content[:size], COLUMNS).faults
        assert faults and all("not a whole xlsx workbook" in f.message and "\n" not in str(f) for f in faults)


def test_without_openpyxl_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (fault,) = read(tmp_path, b"x", COLUMNS).faults
    assert fault.message.endswith("which is not installed: pip install 'skill-plugin[formats]'")
