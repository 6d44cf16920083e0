"""Columns that are taken by their numbers from files whose headers name them in another order."""

from __future__ import annotations

import io
from pathlib import Path

import openpyxl
import pytest

from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.spec import parse_corpora_file
from tests.one_corpus import Read, notices

PAIR = ("kind: classification", "format: csv", "columns: {text_a: 0, text_b: 1, label: -1}")
ROWS = "a,b,{0}\nc,d,{1}\ne,f,{0}\n"
TRAIN, SWAPPED, ALIKE = (
    f"{header}\n{ROWS.format('x', 'y')}"
    for header in ("premise,hypothesis,label", "hypothesis,premise,label", "Premise ,hypothesis,LABEL")
)


def test_swapped_texts_of_another_split_are_told(read: Read) -> None:
    data = read(*PAIR, train=TRAIN, valid=SWAPPED, test=ALIKE)
    (told,) = [one for one in notices(data, "valid") if "column" in one]
    assert told.startswith("1: column 0, which is taken by its number, is 'hypothesis' here and 'premise' in ")
    assert not [one for split in ("train", "test") for one in notices(data, split) if "column" in one]
    named = ("kind: classification", "format: csv", "columns: {text_a: premise, text_b: hypothesis, label: label}")
    assert not [one for one in notices(read(*named, train=TRAIN, valid=SWAPPED), "valid") if "column" in one]


def test_of_a_list_of_files_and_after_a_line_on_separators(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TRAIN.replace(",", ";"), encoding="utf-8")
    (tmp_path / "b.csv").write_text("sep=;\n" + SWAPPED.replace(",", ";"), encoding="utf-8")
    section = "".join(
        f"    {line}\n" for line in (*PAIR, "separator: ;", "language: en", "train: [a.csv, b.csv, c.csv]")
    )
    file = parse_corpora_file(f"languages: [en]\ncorpora:\n  c:\n{section}", tmp_path / "c.yaml")
    data = CorpusReader(file).read(file.corpora["c"])
    assert [
        one for one in notices(data) if "'hypothesis' here" in one
    ]  # c.csv, which is not there, is a fault of its own
    assert len(data.faults) == 1


@pytest.mark.parametrize("swapped", [True, False])
def test_of_spreadsheets(read: Read, swapped: bool) -> None:
    files = []
    for table in (TRAIN, SWAPPED if swapped else ALIKE):
        book = openpyxl.Workbook()
        for line in table.splitlines():
            book.active.append(line.split(","))
        book.save(content := io.BytesIO())
        files.append(content.getvalue())
    data = read("kind: classification", "format: xlsx", PAIR[2], train=files[0], valid=files[1])
    assert any("is taken by its number" in one for one in notices(data, "valid")) == swapped
