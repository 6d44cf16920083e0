"""Rows of the kind multilabel: what an example holds, and what is refused."""

from __future__ import annotations

from tests.one_corpus import Read, faults, json_lines, notices

MULTILABEL = ("kind: multilabel", "format: jsonl", "columns: {text_a: t, label: l}")


def test_multilabel(read: Read) -> None:
    content = json_lines(
        {"t": "a", "l": ["x", "y", "x"]}, {"t": "b", "l": []}, {"t": "c", "l": "y, z,"}, {"t": "d", "l": 3}
    )
    data = read(*MULTILABEL, train=content, valid=json_lines({"t": "a", "l": "z"}))
    assert [e.answer for e in data.splits["train"].examples] == [("x", "y"), (), ("y", "z"), ("3",)]
    assert data.labels == ("3", "x", "y", "z")
    assert faults(data) == []
    assert notices(data)[0].startswith("1: rows that name a label twice, which counts once: 1")
    data = read(*MULTILABEL, "label_map: {x: y}", "drop_labels: [z]", train=content)
    assert [e.answer for e in data.splits["train"].examples] == [("y",), (), ("3",)]
    assert data.splits["train"].skipped == {"dropped label 'z'": 1}


def test_multilabel_faults(read: Read) -> None:
    data = read(*MULTILABEL, train=json_lines({"t": "a", "l": ["x"]}, {"t": "b", "l": None}, {"t": "c", "l": [1.5]}))
    assert faults(data) == [
        "2: no label; expected a label",
        "3: a label is the number 1.5; expected a string or a whole number or a list of them",
    ]
    data = read(*MULTILABEL, "labels: [xx, yy]", train=json_lines({"t": "a", "l": ["xx", "yx"]}))
    assert faults(data)[0].startswith("1: unknown label 'yx'; expected one of: xx, yy")


def test_multilabel_in_tables(read: Read) -> None:
    table = (
        "kind: multilabel",
        "format: tsv",
        "header: false",
        "columns: {text_a: 0, label: 1}",
        "label_separator: ' '",
    )
    data = read(*table, train="a\tx y\nb\nc\t\n")
    assert faults(data) == ["2: 1 cell; expected 2, as 2 of 3 rows have"]
    data = read(*table, "missing_cells: empty", train='a\tx y\nb\nc\t\nd\t["x y"]\n')
    assert [e.answer for e in data.splits["train"].examples] == [("x", "y"), (), (), ("x y",)]
    assert notices(data) == [
        "2: rows with 1 cell, where 2 were expected; missing ones are empty (missing_cells: empty): 1"
    ]
    data = read(*table, train="a\tx\n", test="a\nb\n")
    assert [e.answer for e in data.splits["test"].examples] == [None, None]
