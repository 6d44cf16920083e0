"""Rows to examples: labels, texts, filters, and an account of every row that is left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.readers import SplitData, find_labels, read_split
from skill_plugin.spec import Corpus

Make = Callable[..., Corpus]
TSV = ("format: tsv", "labels: [yes1, no1]", "columns: {text_a: a, text_b: b, label: l}")
JSONL = ("format: jsonl", "columns: {text_a: a, label: l}")


def faults(split: SplitData, folder: Path) -> list[str]:
    """The faults as printed, without the folder."""
    return [str(fault).replace(f"{folder}/", "") for fault in split.faults]


def test_a_good_file(make_corpus: Make) -> None:
    corpus = make_corpus(*TSV, train=b"l\tb\ta\nyes1\tB\tA\nno1\t\t D \n")
    split = read_split(corpus, "train")
    assert [(e.texts, e.answer, e.line) for e in split.examples] == [(("A", "B"), "yes1", 2), ((" D ", ""), "no1", 3)]
    assert (split.faults, [notice.message for notice in split.notices]) == (
        [],
        ["rows with an empty text_b: 1, the first one here"],
    )
    assert split.skipped.total() == 0


def test_wrong_number_of_cells(make_corpus: Make, tmp_path: Path) -> None:
    content = b"a\tb\tl\nA\tB\tyes1\nA\tB\tyes1\tx\nA yes1\nA\tB\tno1\n"
    split = read_split(make_corpus(*TSV, train=content), "train")
    assert faults(split, tmp_path) == ["train.txt:3: 4 cells; expected 3", "train.txt:4: 1 cell; expected 3"]
    assert (len(split.examples), dict(split.skipped)) == (2, {"wrong number of cells": 2})


def test_bad_rows_are_skipped_and_counted_when_asked(make_corpus: Make) -> None:
    content = b"a\tb\tl\nA\tB\tyes1\nA\tB\n\n\xff\tB\tyes1\nA\t\x00\tyes1\nA\tB\t\nA\tB\tno1\n"
    split = read_split(make_corpus(*TSV, "on_bad_row: skip", train=content), "train")
    assert split.faults == []
    assert (len(split.examples), split.skipped.total()) == (2, 5)
    assert set(split.skipped) == {"wrong number of cells", "blank line", "not UTF-8", "NUL character", "missing label"}


def test_unknown_labels_are_faults_even_when_bad_rows_are_skipped(make_corpus: Make, tmp_path: Path) -> None:
    corpus = make_corpus(*TSV, "on_bad_row: skip", "label_map: {y: yes1}", train=b"a\tb\tl\nA\tB\tyess1\nA\tB\ty\n")
    split = read_split(corpus, "train")
    assert faults(split, tmp_path) == ["train.txt:2: unknown label 'yess1'; did you mean 'yes1'?"]
    assert [e.answer for e in split.examples] == ["yes1"]


def test_a_label_in_valid_that_train_lacks(make_corpus: Make, tmp_path: Path) -> None:
    rows = "\n".join(json.dumps({"a": "x", "l": label}) for label in ("neutral", "contradictory"))
    corpus = make_corpus(*JSONL, train=rows.encode(), valid=b'{"a": "x", "l": "contradiction"}')
    labels = find_labels(corpus, read_split(corpus, "train"))
    assert labels == ("contradictory", "neutral")
    message = "valid.txt:1: unknown label 'contradiction'; did you mean 'contradictory'?"
    assert faults(read_split(corpus, "valid", labels), tmp_path) == [message]


def test_corpus_labels_need_labels_or_train(make_corpus: Make) -> None:
    corpus = make_corpus(*JSONL, test=b"")
    with pytest.raises(InputError, match="neither 'labels' nor a train split"):
        find_labels(corpus, None)


def test_where_drop_labels_and_label_map(make_corpus: Make) -> None:
    options = ("drop_labels: ['-', other]", "label_map: {0: a, 1: b, 2: other}", "where: {lang: [es, pt], ok: 'true'}")
    rows = [("es", 0, True), ("en", 1, True), ("pt", "-", True), ("pt", 2, True), ("pt", 1, False), ("pt", "1", True)]
    content = "\n".join(json.dumps({"lang": lang, "l": label, "ok": ok, "a": "x"}) for lang, label, ok in rows)
    split = read_split(make_corpus(*JSONL, *options, train=content.encode()), "train")
    assert [e.answer for e in split.examples] == ["a", "b"]
    counted = {"where lang": 1, "where ok": 1, "dropped label '-'": 1, "dropped label '2'": 1}
    assert (split.faults, dict(split.skipped)) == ([], counted)


def test_json_labels(make_corpus: Make, tmp_path: Path) -> None:
    content = "\n".join(
        f'{{"a": "x", "l": {label}}}'
        for label in ('" s "', "100", "true", "1.5", "null", "[1]", '""', "1.0", "-0.0", "1e300")
    )
    split = read_split(make_corpus(*JSONL, train=content.encode()), "train")
    assert [e.answer for e in split.examples] == ["s", "100", "true", "1", "0"]
    expected = "; expected a string or a whole number"
    assert faults(split, tmp_path) == [
        f"train.txt:4: the label is the number 1.5{expected}",
        "train.txt:5: no label; expected a label",
        f"train.txt:6: the label is a list of 1{expected}",
        "train.txt:7: no label; expected a label",
        f"train.txt:10: the label is the number 1e+300{expected}",
    ]


def test_json_texts(make_corpus: Make, tmp_path: Path) -> None:
    values = ("1", "null", '["x", 1]', '"\\ud83d"', '"\\ud83d\\ude00"')
    content = "\n".join(f'{{"a": {value}, "l": "y"}}' for value in values)
    split = read_split(make_corpus(*JSONL, train=content.encode()), "train")
    assert [e.texts for e in split.examples] == [("😀",)]
    assert faults(split, tmp_path) == [
        "train.txt:1: the text in column 'a' is the number 1; expected a string",
        "train.txt:2: the text in column 'a' is null; expected a string",
        "train.txt:3: a text in the list in column 'a' is the number 1; expected a string",
        "train.txt:4: the text in column 'a' holds half a surrogate pair, which is no character",
    ]


def test_a_test_split_may_lack_labels(make_corpus: Make, tmp_path: Path) -> None:
    corpus = make_corpus(*TSV, test=b"b\ta\nB\tA\n")
    split = read_split(corpus, "test")
    assert [(e.texts, e.answer) for e in split.examples] == [(("A", "B"), None)]
    assert [notice.message for notice in split.notices] == ["no column 'l' in the header, so the labels are unknown"]
    assert read_split(make_corpus(*JSONL, test=b'{"a": "x"}\n{"a": "y", "l": null}'), "test").faults == []
    mixed = read_split(make_corpus(*JSONL, test=b'{"a": "x"}\n{"a": "y", "l": "z"}'), "test")
    assert faults(mixed, tmp_path) == [
        "test.txt:1: no label, though other rows of the split have one; expected a label"
    ]
    assert (len(mixed.examples), mixed.skipped.total()) == (1, 1)


@pytest.mark.parametrize("split", ["train", "valid"])
def test_other_splits_may_not(make_corpus: Make, tmp_path: Path, split: str) -> None:
    found = read_split(make_corpus(*TSV, **{split: b"lb\ta\tb\nyes1\tA\tB\n"}), split)
    message = f"{split}.txt:1: no column 'l': the header has ['lb', 'a', 'b']; did you mean 'lb'?"
    assert (found.examples, faults(found, tmp_path)) == ([], [message])


def test_missing_and_empty_files(make_corpus: Make, tmp_path: Path) -> None:
    missing = read_split(make_corpus(*TSV, train=None), "train")
    text = "corpora.yaml:11: corpus 'c': train: cannot read train.txt: No such file or directory"
    assert faults(missing, tmp_path) == [text]
    empty = read_split(make_corpus(*TSV, train=b""), "train")
    assert faults(empty, tmp_path) == ["train.txt:1: the file is empty"]
    only_header = read_split(make_corpus(*TSV, train=b"a\tb\tl\n\n"), "train")
    assert faults(only_header, tmp_path) == ["train.txt:1: no row is left; the file holds none"]
    corpus = make_corpus(*TSV, "drop_labels: [yes1]", train=b"a\tb\tl\nA\tB\tyes1\n")
    assert faults(read_split(corpus, "train"), tmp_path) == ["train.txt:1: no row is left: 1 dropped label 'yes1'"]
    (tmp_path / "train.txt").unlink()
    (tmp_path / "train.txt").mkdir()
    assert "cannot read train.txt: Is a directory" in faults(read_split(corpus, "train"), tmp_path)[0]


def test_empty_texts_are_notices(make_corpus: Make) -> None:
    split = read_split(make_corpus(*TSV, train=b"a\tb\tl\n\tB\tyes1\nA\t\tno1\n"), "train")
    assert len(split.examples) == 2
    assert [(notice.line, notice.message) for notice in split.notices] == [
        (2, "rows with an empty text_a: 1, the first one here"),
        (3, "rows with an empty text_b: 1, the first one here"),
    ]


def test_many_faults_of_one_reason_are_counted(make_corpus: Make, tmp_path: Path) -> None:
    split = read_split(make_corpus(*TSV, train=b"a\tb\tl\nA\tB\tyes1\n" + b"A\n" * 50), "train")
    assert len(split.faults) == 21
    message = "train.txt:23: 1 cell; expected 3 (and 29 more rows: wrong number of cells)"
    assert faults(split, tmp_path)[-1] == message
    assert split.skipped.total() == 50


def test_three_texts_in_order(make_corpus: Make) -> None:
    columns = "columns: {text_c: 0, text_a: 2, label: 3, text_b: 1}"
    split = read_split(make_corpus("format: tsv", "header: false", columns, train=b"c\tb\ta\tl\n"), "train")
    assert split.examples[0].texts == ("a", "b", "c")
