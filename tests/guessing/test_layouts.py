"""How raw files are written is found from their first lines."""

from __future__ import annotations

import bz2
import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from skill_plugin.guessing.encoding import find_encoding
from skill_plugin.guessing.find_files import find_files
from skill_plugin.guessing.header import find_header
from skill_plugin.guessing.layout import Layout, find_layout

TEXTS = ["the first of some texts", "another one, with a comma", "and a third; with more", 'one with a "quote" in it']


def layout_of(folder: Path, content: str | bytes, name: str = "file.txt") -> Layout:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    found = find_layout(path)
    assert isinstance(found, Layout), found
    return found


def keys(layout: Layout) -> dict[str, Any]:
    return {key: value for key, (value, _) in layout.keys.items()}


@pytest.mark.parametrize(
    ("first", "header"),
    [("text\tlabel\n", True), ("irgendwas\tziel\n", True), ("", False), ("a text that comes first\tpos\n", False)],
)
def test_a_header(tmp_path: Path, first: str, header: bool) -> None:
    rows = "".join(
        f"{text} {number}\t{label}\n" for number in range(9) for text, label in zip(TEXTS, "pnpn", strict=True)
    )
    layout = layout_of(tmp_path, first.replace("pos", "p") + rows.replace('"', ""))
    assert (layout.format, keys(layout).get("header", True)) == ("tsv", header)
    assert [column.reference for column in layout.columns] == (first.split() if header else [0, 1])


def test_a_first_row_of_texts_in_chinese_is_no_header() -> None:
    rows = [
        ["我还没有和他再次谈论。", "他走了。"],
        ["那人打开水龙头。", "厕所里满是水。"],
        ["今天天气很好，我们去公园。", "下雨了。"],
    ]
    assert not find_header(rows, 2)[0]


@pytest.mark.parametrize(
    ("cell", "quoting"),
    [
        ('"a ""quoted"" word"', "csv"),  # as csv writers do
        ('a "quoted" word', "none"),
        ('"a lone quote', "none"),
    ],
)
def test_quotes_in_a_tab_file(tmp_path: Path, cell: str, quoting: str) -> None:
    layout = layout_of(
        tmp_path, "".join(f"{cell} {n % 2}\tx\n".replace('" 0', '"').replace('" 1', '"') for n in range(9))
    )
    assert keys(layout).get("quoting", "none") == quoting


def test_quotes_around_line_ends_and_tabs(tmp_path: Path) -> None:
    """As a spreadsheet saves text: quotes only where they are needed, in texts of which some begin with one."""
    texts = ['"two\nlines {}"', '"a\ttab {}"', '"""Stop"", he said {}"', "plain {}", 'an inch is {}" long']
    rows = "".join(f"{text.format(n)}\t{'xy'[n % 2]}\n" for n in range(9) for text in texts)
    layout = layout_of(tmp_path, f"text\tlabel\n{rows}")
    assert (keys(layout), {len(column.values) for column in layout.columns}) == ({"quoting": "csv"}, {45})
    layout = layout_of(tmp_path, 'text\tlabel\n"lone\tx\nthree\tcells\tx\nplain\tx\n')
    assert keys(layout).get("quoting", "none") == "none"


def test_a_separator_of_all_rows_before_one_of_most(tmp_path: Path) -> None:
    rows = "".join(f"a text, or {n}; is one;4,{n}\n" if n % 50 == 1 else f"text {n};3,{n}\n" for n in range(100))
    layout = layout_of(tmp_path, "t;score\n" + rows.replace("; is", " is"), "x.csv")
    assert (keys(layout)["separator"], [column.reference for column in layout.columns]) == (";", ["t", "score"])
    assert layout.columns[1].is_number and not layout.columns[1].is_whole and layout.columns[1].numbers[2] == 3.2


@pytest.mark.parametrize(("separator", "format_"), [(",", "csv"), (";", "tsv"), ("|", "tsv"), ("\t", "tsv")])
def test_separators(tmp_path: Path, separator: str, format_: str) -> None:
    rows = "".join(f"text number {n}{separator}{'ab'[n % 2]}\n" for n in range(20))
    layout = layout_of(tmp_path, f"t{separator}l\n{rows}")
    assert (layout.format, [column.reference for column in layout.columns]) == (format_, ["t", "l"])
    assert keys(layout).get("separator", {"csv": ",", "tsv": "\t"}[format_]) == separator


def test_plain_text_is_no_table(tmp_path: Path) -> None:
    assert layout_of(tmp_path, "".join(f"{text}\n" for text in TEXTS * 5)).format == "lines"


def test_json(tmp_path: Path) -> None:
    rows = [{"a": {"b": f"x{n}"}, "c": n} for n in range(4)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    for content, format_, place in (
        (lines, "jsonl", None), (json.dumps(rows, indent=1), "json", None),
        (json.dumps({str(n): row for n, row in enumerate(rows)}), "json", None),
        (json.dumps({"v": "1", "data": {"items": rows, "other": [{}]}}), "json", "data.items"),
    ):  # fmt: skip
        layout = layout_of(tmp_path, content)
        assert (layout.format, keys(layout).get("rows")) == (format_, place)
        assert [column.reference for column in layout.columns] == ["a", "a.b", "c"]
    squad = {"data": [{"paragraphs": [{"context": "c", "qas": [{"question": "q", "answers": []}]}]}]}
    assert layout_of(tmp_path, json.dumps(squad)).format == "squad"


def test_columns_of_json(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for indent in (None, 1):
        path.write_text(json.dumps({"text": {0: "a", 1: "b"}, "label": {0: 1, 1: 0}}, indent=indent), encoding="utf-8")
        said = find_layout(path)
        assert said == 'JSON of columns; expected rows, as pandas writes by to_json(orient="records")'


def test_conll(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, "EU B-ORG\nrejects O\ncalls O\n\nPeter B-PER\nsays O\n")
    assert (layout.format, layout.running, len(layout.columns)) == ("conll", True, 2)
    words = "".join(f"{n}\t{w}\t_\tNOUN\t_\t_\t_\t_\t_\t_\n" for n, w in enumerate("abc", 1))
    named = layout_of(tmp_path, f"# newdoc\n# text = a b c\n{words}\n# global.Entity = x\n# text = a b c\n{words}")
    assert [named.columns[place].reference for place in (1, 3)] == ["FORM", "UPOS"] and named.commented


def test_encodings() -> None:
    chinese, german = "今天天气很好，我们去公园散步。" * 3, "Straße, Größe und Übermut täglich über alles."
    assert find_encoding(chinese.encode("gb18030")) == "gb18030"
    assert find_encoding(german.encode("latin-1")) == "cp1252"
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        assert find_encoding(german.encode(encoding)) == encoding
    assert find_encoding(german.encode("utf-32-le")) is None
    assert find_encoding(chinese.encode()[:-1]) == "utf-8"  # the sample ends within a character
    assert find_encoding(b"\x00\x01") is None


def test_names_of_classes_in_parquet(tmp_path: Path) -> None:
    info = {"info": {"features": {"label": {"names": ["neg", "pos"], "_type": "ClassLabel"}}}}
    table = pa.table({"text": ["a b", "c d"], "label": [0, 1]}).replace_schema_metadata(
        {"huggingface": json.dumps(info)}
    )
    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(table, path)
    found = find_layout(path)
    assert isinstance(found, Layout) and found.columns[1].classes == ("neg", "pos")


def test_packed_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.tsv.bz2").write_bytes(bz2.compress(b"text\tlabel\na b\tx\n"))
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("b.tsv", "text\tlabel\na b\tx\n")
    said = ["the file is no text but packed by bzip2; unpack it", "a zip archive; unpack it"]
    assert [find_layout(path) for path in find_files(tmp_path)] == said


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\x00\x01\x02", b"PK\x03\x04xx", b"PAR1xx", b"{\n", b'{"a": 1'])
def test_what_has_no_layout_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    found = find_layout(path)
    assert isinstance(found, str) or found.format == "lines"
