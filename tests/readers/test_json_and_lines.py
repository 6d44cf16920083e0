"""jsonl, json and parallel files: what is written is read back, and what is broken is told with its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.readers import SplitData, read_split
from skill_plugin.spec import Corpus, parse_corpora_file

Make = Callable[..., Corpus]
COLUMNS = "columns: {text_a: a, text_b: b, label: l}"
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=8)


def corpus_of(folder: Path, *options: str, train: str = "train.txt") -> Corpus:
    section = "".join(f"    {option}\n" for option in ("kind: classification", "language: en", "skills: [g]", *options))
    text = f"languages: [en]\nskills: {{g: on}}\ncorpora:\n  c:\n{section}    train: {train}\n"
    return parse_corpora_file(text, folder / "corpora.yaml").corpora["c"]


def problems(split: SplitData) -> list[tuple[int | None, str]]:
    return [(fault.line, fault.message) for fault in split.faults]


@given(pairs, st.booleans())
def test_what_is_written_as_json_lines_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list, ascii_only: bool
) -> None:
    folder = tmp_path_factory.mktemp("jsonl")
    lines = [json.dumps({"a": a, "b": b, "l": 7}, ensure_ascii=ascii_only) for a, b in rows]
    (folder / "train.txt").write_bytes("\n".join(lines).encode())
    split = read_split(corpus_of(folder, "format: jsonl", COLUMNS), "train")
    assert [(e.texts, e.answer, e.line) for e in split.examples] == [(row, "7", i + 1) for i, row in enumerate(rows)]


@given(pairs, st.sampled_from([None, 2]), st.sampled_from(["list", "object", "nested"]))
def test_what_is_written_as_json_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list, indent: int | None, shape: str
) -> None:
    folder = tmp_path_factory.mktemp("json")
    values = [{"a": a, "b": b, "l": "y"} for a, b in rows]
    keyed = {str(number): value for number, value in enumerate(values)}
    document = {"list": values, "object": keyed, "nested": {"v": [1, {}], "data": {"x": 0, "items": keyed}, "w": []}}
    (folder / "train.txt").write_text(json.dumps(document[shape], indent=indent), encoding="utf-8")
    option = ["rows: data.items"] if shape == "nested" else []
    split = read_split(corpus_of(folder, "format: json", COLUMNS, *option), "train")
    assert split.faults == []
    assert [e.texts for e in split.examples] == rows


@pytest.mark.parametrize("named", [True, False])
def test_columns_are_no_rows(tmp_path: Path, named: bool) -> None:
    """As data frames are written where nothing else is said."""
    columns = {name: {str(n): f"{name}{n}" for n in range(3)} for name in "abl"}
    document = columns if named else {name: list(cells.values()) for name, cells in columns.items()}
    (tmp_path / "train.txt").write_text(json.dumps(document, indent=0), encoding="utf-8")
    split = read_split(corpus_of(tmp_path, "format: json", COLUMNS, "on_bad_row: skip"), "train")
    message = '; expected rows, as pandas writes by to_json(orient="records")'
    assert problems(split)[0] == (2, f"'a' is a column of the document{message}")


@given(
    pairs.filter(lambda rows: all("\n" not in a + b and not a.endswith("\r") and not b.endswith("\r") for a, b in rows))
)
def test_what_is_written_as_lines_is_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    folder = tmp_path_factory.mktemp("lines")
    for name, column in (("a", [a for a, _ in rows]), ("b", [b for _, b in rows]), ("l", ["y"] * len(rows))):
        (folder / name).write_bytes(b"\xef\xbb\xbf" + "".join(f"{text}\n" for text in column).encode())
    split = read_split(corpus_of(folder, "format: lines", train="{text_a: a, text_b: b, label: l}"), "train")
    assert split.faults == []
    assert [(e.texts, e.line) for e in split.examples] == [(row, i + 1) for i, row in enumerate(rows)]


@given(st.one_of(st.binary(max_size=120), st.text(alphabet='[]{}",:0a \n', max_size=60).map(str.encode)))
def test_any_bytes_give_rows_or_faults(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "train.txt").write_bytes(data)
    for options in (["format: jsonl"], ["format: json"], ["format: json", "rows: a"]):
        split = read_split(corpus_of(folder, *options, "columns: {text_a: a, label: a}"), "train")
        assert split.examples or split.faults
    split = read_split(corpus_of(folder, "format: lines", train="{text_a: train.txt, label: train.txt}"), "train")
    assert split.examples or split.faults


@given(st.text(alphabet='[]{}",:1 \n', max_size=12))
def test_json_is_accepted_when_python_accepts_it(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("json")
    (folder / "train.txt").write_text(text)
    split = read_split(corpus_of(folder, "format: json", "on_bad_row: skip", "columns: {text_a: a, label: a}"), "train")
    try:
        valid = isinstance(json.loads(text), list | dict)
    except ValueError:
        valid = False
    told = all(fault.message.startswith("no row is left") for fault in split.faults)
    assert valid == told


def test_line_numbers_of_json_rows(make_corpus: Make) -> None:
    content = b'{"data": [\n {"a": "x", "b": "y", "l": "p"},\n\n {"a": "x", "l": "p"},\n 3\n]}'
    split = read_split(make_corpus("format: json", "rows: data", COLUMNS, train=content), "train")
    assert [e.line for e in split.examples] == [2]
    assert problems(split) == [
        (4, "the row '1' has no column 'b': the keys are ['a', 'l']; expected one of: a, l"),
        (5, "the row '2' is the number 3; expected an object"),
    ]


@pytest.mark.parametrize(
    ("content", "option", "line", "message"),
    [
        (b'[{"a": 1},\n', "", 2, "not JSON: Expecting value"),
        (b'[{"a": 1}\n x', "", 2, "not JSON: expected ','"),
        (b'{"a" 1}', "", 1, "not JSON: expected ':'"),
        (b'{"a": {}}\n{"a": {}}', "", 2, "text after the end of the JSON document; is this format: jsonl"),
        (b"3", "", 1, "expected a list or an object of rows at the top"),
        (b'{"data":\n 3}', "rows: data", 2, "expected a list or an object of rows at 'data'"),
        (b'{"data": [],\n"data": [1]}', "rows: data", 2, "the key 'data', where the rows are, stands twice"),
        (b'{"x": {"data": []},\n"x": {}}', "rows: x.data", 2, "the key 'x', where the rows are, stands twice"),
        (b'{"data": []\n', "rows: data", 2, "not JSON: expected ','"),
        (b'{"data": []}\n3', "rows: data", 2, "text after the end of the JSON document"),
        (b'{"dat": []}', "rows: data", 1, "no key 'data', where the rows should be; did you mean 'dat'?"),
        (b"[]", "rows: data", 1, "expected an object with the key 'data'"),
        (b'["\xff"]', "", 1, "not UTF-8: the byte 0xff"),
        (b"[" * 100_000, "", 1, "not JSON that can be read"),
        (b"[\n[1" + b"0" * 5000 + b"]]", "", 2, "not JSON that can be read: Exceeds the limit"),
        (b" \n", "", 1, "the file is empty; expected a JSON document"),
        (b"[]", "", 1, "no row is left; the file holds none"),
    ],
)
def test_json_faults(make_corpus: Make, content: bytes, option: str, line: int, message: str) -> None:
    options = ["format: json", COLUMNS, *([option] if option else [])]
    found = problems(read_split(make_corpus(*options, train=content), "train"))
    assert any(at == line and told.startswith(message) for at, told in found)


def test_json_lines_faults(make_corpus: Make) -> None:
    content = (
        b'{"a": "x", "b": "y", "l": 1}\n\n{"a": "x", "B": "y", "l": 1}\n[1]\n"s"\n{\n\xff\n' + b"[" * 100_000 + b"\n"
    )
    found = problems(read_split(make_corpus("format: jsonl", COLUMNS, train=content), "train"))
    assert [line for line, _ in found] == [2, 3, 4, 5, 6, 7, 8]
    assert found[1][1] == "the row has no column 'b': the keys are ['a', 'B', 'l']; did you mean 'B'?"
    assert found[4][1].startswith("not JSON: Expecting property name enclosed in double quotes at column 2")


REPEATED = [
    '{"a": "x", "b": "y", "l": "p", "id": 1, "id": 2}',  # nothing asks for it
    '{"a": "x", "b": "y", "b": "z", "l": "p"}',
    '{"a": "x", "b": "y", "b": "y", "l": "p"}',
    '{"a": "x", "b": "y", "l": 1, "l": true}',
]


@pytest.mark.parametrize("how", ["jsonl", "json", "json, rows: data"])
def test_a_column_that_a_row_has_twice(make_corpus: Make, how: str) -> None:
    name, _, rows = how.partition(", ")
    content = "\n".join(REPEATED) if name == "jsonl" else f"[{', '.join(REPEATED)}]".replace("}, {", "},\n{")
    content = f'{{"data": {content}}}' if rows else content
    options = [f"format: {name}", COLUMNS, *filter(None, [rows])]
    split = read_split(make_corpus(*options, train=content.encode()), "train")
    assert [(e.texts, e.answer, e.line) for e in split.examples] == [(("x", "y"), "p", 1), (("x", "y"), "p", 3)]
    found = [(line, message.split(" has ")[1]) for line, message in problems(split)]
    assert found == [(n, f"the column {c!r} more than once, with different values") for n, c in ((2, "b"), (4, "l"))]
    split = read_split(make_corpus(*options, "on_bad_row: skip", train=content.encode()), "train")
    assert (split.faults, dict(split.skipped), len(split.examples)) == ([], {"repeated key": 2}, 2)


def test_a_key_on_the_way_to_a_column_that_stands_twice(make_corpus: Make) -> None:
    row = '{"p": {"a": "x"}, "p": {"a": "z"}, "b": "y", "l": "p"}'
    columns = "columns: {text_a: p.a, text_b: b, label: l}"
    split = read_split(make_corpus("format: jsonl", columns, train=row.encode()), "train")
    assert problems(split) == [(1, "the row has the column 'p.a' more than once, with different values")]
    each = '{"b": "y", "of": [{"a": "x", "l": "p"}], "of": []}'
    split = read_split(make_corpus("format: jsonl", "each: of", COLUMNS, train=each.encode()), "train")
    assert problems(split) == [
        (1, "the row has written more than once, with different values at 'of'; expected a list (each: of)")
    ]


def test_nested_columns(make_corpus: Make) -> None:
    row = {"passage": {"texts": ["x", "y"]}, "a.b": "z", "l": "p"}
    columns = "columns: {text_a: passage.texts.1, text_b: a.b, label: l}"
    split = read_split(make_corpus("format: jsonl", columns, train=json.dumps(row).encode()), "train")
    assert split.examples[0].texts == ("y", "z")
    columns = "columns: {text_a: 1, label: 0}"
    split = read_split(make_corpus("format: jsonl", columns, train=b'["p", "x"]'), "train")
    assert (split.examples[0].texts, split.examples[0].answer) == (("x",), "p")


def test_parallel_files_of_different_length(make_corpus: Make, tmp_path: Path) -> None:
    corpus = make_corpus("format: lines", train={"text_a": b"a\nb\nc\nd\n", "label": b"0\n1\n"})
    split = read_split(corpus, "train")
    assert str(split.faults[0]) == (
        f"{tmp_path}/train.label.txt:2: the parallel files differ: 2 lines here, but 4 in train.text_a.txt "
        "(label and text_a belong together line by line)"
    )
    assert (len(split.examples), split.skipped.total()) == (2, 2)


def test_blank_lines_of_parallel_files(make_corpus: Make, tmp_path: Path) -> None:
    corpus = make_corpus("format: lines", train={"text_a": b"a\n\nc\n\n", "label": b"0\n1\n2\n"})
    assert [(e.texts, e.answer) for e in read_split(corpus, "train").examples] == [
        (("a",), "0"),
        (("",), "1"),
        (("c",), "2"),
    ]
    corpus = make_corpus("format: lines", train={"text_a": b"a\nb\nc\n", "label": b"0\n\n2\n"})
    assert str(read_split(corpus, "train").faults[0]) == f"{tmp_path}/train.label.txt:2: no label; expected a label"


def test_faults_name_the_parallel_file_that_has_them(make_corpus: Make, tmp_path: Path) -> None:
    corpus = make_corpus("format: lines", "labels: [x, y]", train={"text_a": b"a\nb\n", "label": b"x\nz\xff\n"})
    assert str(read_split(corpus, "train").faults[0]).startswith(f"{tmp_path}/train.label.txt:2: not UTF-8")
    corpus = make_corpus("format: lines", train={"text_a": b"a\n", "label": None})
    assert "cannot read" in str(read_split(corpus, "train").faults[0])
    corpus = make_corpus("format: lines", train={"text_a": b"a\n", "label": b""})
    assert str(read_split(corpus, "train").faults[0]) == f"{tmp_path}/train.label.txt:1: the file is empty"


def test_a_test_split_without_a_label_file(make_corpus: Make) -> None:
    corpus = make_corpus("format: lines", train={"text_a": b"a\n", "label": b"x\n"}, test={"text_a": b"b\n"})
    split = read_split(corpus, "test")
    assert [(e.texts, e.answer) for e in split.examples] == [(("b",), None)]
    assert [notice.message for notice in split.notices] == ["no file for the column 'label', so the labels are unknown"]
