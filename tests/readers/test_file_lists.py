"""Splits that are lists of files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.errors import InputError
from skill_plugin.readers import SplitData, read_split
from skill_plugin.readers.split_rows import count_rows
from skill_plugin.spec import CorporaFile, parse_corpora_file

Parse = Callable[..., CorporaFile]


@pytest.fixture
def parse(tmp_path: Path) -> Parse:
    """parse("format: tsv", ..., files={name: content}) writes the files and gives the corpora file with one corpus."""

    def make(*lines: str, files: Mapping[str, str] = {}) -> CorporaFile:
        for name, content in files.items():
            (tmp_path / name).write_text(content, encoding="utf-8")
        section = "".join(f"    {line}\n" for line in ("language: en", *lines))
        return parse_corpora_file(f"languages: [en, de]\ncorpora:\n  c:\n{section}", tmp_path / "corpora.yaml")

    return make


def places(split: SplitData) -> list[tuple[str, int]]:
    return [(Path(example.file).name, example.line) for example in split.examples]


def test_each_file_has_its_own_header_and_lines(parse: Parse) -> None:
    files = {"a.tsv": "text\tlabel\none\tx\ntwo\ty\n", "b.tsv": "label\tother\ttext\nx\t.\tthree\n"}
    lines = "kind: classification", "format: tsv", "columns: {text_a: text, label: label}", "train: [a.tsv, b.tsv]"
    corpus = parse(*lines, files=files).corpora["c"]
    train = read_split(corpus, "train")
    assert [example.texts[0] for example in train.examples] == ["one", "two", "three"]
    assert places(train) == [("a.tsv", 2), ("a.tsv", 3), ("b.tsv", 2)]
    assert all(type(example.line) is int for example in train.examples)
    assert count_rows(corpus, "train") == 3


@pytest.mark.parametrize("bad", ["one\tx\n\tz", "one\tx\nonly one cell"])
def test_faults_and_notices_name_the_right_file(parse: Parse, tmp_path: Path, bad: str) -> None:
    files = {"a.tsv": "one\tx\ntwo\ty\n", "b.tsv": f"\tx\n{bad}\n", "c.tsv": "four\tx\n\tq\n"}
    lines = "kind: classification", "format: tsv", "header: false", "columns: {text_a: 0, label: 1}", "labels: [x, y]"
    train = read_split(parse(*lines, "train: [a.tsv, b.tsv, c.tsv]", files=files).corpora["c"], "train")
    assert [(Path(fault.file).name, fault.line) for fault in train.faults] == [("b.tsv", 3), ("c.tsv", 2)]
    empty = [notice for notice in train.notices if "empty text_a" in notice.message]
    assert [(Path(notice.file).name, notice.line) for notice in empty] == [("b.tsv", 1)]
    assert len(train.examples) + train.skipped.total() == 7


def test_repeated_rows_and_rows_of_train_are_told_in_their_files(parse: Parse, tmp_path: Path) -> None:
    files = {"a.tsv": "t\tl\none\tx\ntwo\ty\n", "b.tsv": "t\tl\nsix\ty\none\tx\n", "v.tsv": "t\tl\nnew\tx\nsix\ty\n"}
    lines = "kind: classification", "format: tsv", "columns: {text_a: t, label: l}"
    report = check_corpora(parse(*lines, "train: [a.tsv, b.tsv]", "valid: [v.tsv]", files=files))
    told = {(n.split, Path(n.fault.file).name, n.fault.line) for n in report.notices}
    assert {("train", "b.tsv", 3), ("valid", "v.tsv", 3)} <= told
    assert not report.faults and report.corpora["c"]["train"].duplicates == 1


def test_a_file_that_is_missing_or_empty_is_named(parse: Parse, tmp_path: Path) -> None:
    lines = "kind: masked_lm", "format: lines"
    corpus = parse(*lines, "train: [{text: a}, {text: b}, {text: none}]", files={"a": "x\n", "b": ""}).corpora["c"]
    faults = [str(fault) for fault in read_split(corpus, "train").faults]
    assert faults[0] == f"{tmp_path}/b:1: the file is empty"
    assert f"cannot read {tmp_path}/none" in faults[1]


def test_a_file_that_breaks_off_does_not_hide_those_after_it(parse: Parse) -> None:
    rows = json.dumps({"t": "ok", "l": "x"})
    files = {"a.json": f"[{rows}, oh]", "b.json": f"[{rows}]"}
    lines = "kind: classification", "format: json", "columns: {text_a: t, label: l}", "train: [a.json, b.json]"
    train = read_split(parse(*lines, files=files).corpora["c"], "train")
    assert places(train) == [("a.json", 1), ("b.json", 1)]
    assert [Path(fault.file).name for fault in train.faults] == ["a.json"]


def test_parallel_files(parse: Parse) -> None:
    files = {"a.t": "one\ntwo\n", "a.l": "x\ny\n", "b.t": "three\nfour\n", "b.l": "x\nz\n", "c.l": "x\n"}
    lines = "kind: classification", "format: lines", "labels: [x, y]"
    train = "train: [{text_a: a.t, label: a.l}, {label: b.l, text_a: b.t}]"
    split = read_split(parse(*lines, train, files=files).corpora["c"], "train")
    assert places(split) == [("a.t", 1), ("a.t", 2), ("b.t", 1)]
    assert [(Path(fault.file).name, fault.line) for fault in split.faults] == [("b.l", 2)]
    uneven = "train: [{text_a: a.t, label: a.l}, {text_a: b.t, label: c.l}]"
    faults = read_split(parse(*lines, uneven).corpora["c"], "train").faults
    assert [Path(fault.file).name for fault in faults] == ["c.l"]


def test_articles_of_each_squad_file(parse: Parse, tmp_path: Path) -> None:
    def write(name: str, words: str) -> None:
        qas = [{"id": w, "question": f"{w}?", "answers": [{"text": w, "answer_start": 0}]} for w in words.split()]
        articles = [{"title": q["id"], "paragraphs": [{"context": q["id"], "qas": [q]}]} for q in qas]
        (tmp_path / name).write_text(json.dumps({"data": articles}, indent=1), encoding="utf-8")

    write("a.json", "one two three")
    write("b.json", "four five")
    train = 'train: [{path: a.json, articles: "1:"}, {path: a.json, articles: "0:1"}, b.json]'
    split = read_split(parse("kind: span", "format: squad", train).corpora["c"], "train")
    assert [example.id for example in split.examples] == ["two", "three", "one", "four", "five"]
    assert [Path(example.file).name for example in split.examples] == ["a.json"] * 3 + ["b.json"] * 2


def test_what_is_made_of_several_rows(parse: Parse) -> None:
    files = {"a.tsv": "q\tone\t1\nq\ttwo\t0\n", "b.tsv": "r\tone\t0\nr\ttwo\t1\nq\tthree\t0\n"}
    lines = "kind: ranking", "format: tsv", "header: false", "columns: {text_a: 0, text_b: 1, label: 2}"
    split = read_split(parse(*lines, "train: [a.tsv, b.tsv]", files=files).corpora["c"], "train")
    assert [(*example.texts, len(example.candidates)) for example in split.examples] == [("q", 3), ("r", 2)]
    assert places(split) == [("a.tsv", 1), ("b.tsv", 1)]
    files = {"a.tsv": "one\ntwo\n", "b.tsv": "three\n\nfour\nfive\n"}
    lines = "kind: next_sentence", "format: tsv", "header: false", "columns: {sentence: 0}"
    split = read_split(parse(*lines, "train: [a.tsv, b.tsv]", files=files).corpora["c"], "train")
    assert [example.texts for example in split.examples] == [("one", "two"), ("three",), ("four", "five")]
    assert places(split) == [("a.tsv", 1), ("b.tsv", 1), ("b.tsv", 3)]


def test_a_query_with_two_texts_names_the_other_file(parse: Parse) -> None:
    files = {"a.tsv": "1\tq\tone\t1\n", "b.tsv": "1\tr\tone\t0\n"}
    lines = "kind: ranking", "format: tsv", "header: false", "columns: {query: 0, text_a: 1, text_b: 2, label: 3}"
    split = read_split(parse(*lines, "train: [a.tsv, b.tsv]", files=files).corpora["c"], "train")
    assert [(Path(fault.file).name, fault.line) for fault in split.faults] == [("b.tsv", 1)]
    assert "another text here than in a.tsv:1" in split.faults[0].message


def test_words_of_conll_files(parse: Parse) -> None:
    files = {"a.txt": "a O\nb B-x\n", "b.txt": "c O\nd\n\ne B-x\nf O\n"}
    lines = "kind: labelling", "format: conll", "columns: {token: 0, tag: 1}"
    split = read_split(parse(*lines, "train: [a.txt, b.txt]", files=files).corpora["c"], "train")
    assert places(split) == [("a.txt", 1), ("b.txt", 4)]
    assert [(Path(fault.file).name, fault.line) for fault in split.faults] == [("b.txt", 2)]


def test_a_mix_of_lists(tmp_path: Path) -> None:
    for name in ("en1", "en2", "de1", "de2"):
        (tmp_path / f"{name}.tsv").write_text(f"t\tl\n{name}1\tx\n{name}2\ty\n", encoding="utf-8")
    section = "{kind: classification, format: tsv, columns: {text_a: t, label: l}, mix: {en: [en1.tsv, en2.tsv], de: "
    text = f"languages: [en, de]\ncorpora:\n  m: {section}[de1.tsv, de2.tsv]}}}}\n"
    corpora = parse_corpora_file(text, tmp_path / "corpora.yaml").corpora
    parts = [{e.texts[0][2:] for e in read_split(corpora[name], "train").examples} for name in ("m-en", "m-de")]
    assert parts[0] | parts[1] == {"11", "12", "21", "22"} and len(parts[0]) == len(parts[1]) == 2


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ("[]", "expected the path of a file or a list of them, not an empty list"),
        ("[a.tsv, a.tsv]", "the list names 'a.tsv' twice"),
        ("[a.tsv, 3]", "expected the path of a file, not 3"),
        ("[a.tsv, {pth: b.tsv}]", "unknown key 'pth'; did you mean 'path'"),
        ("[a.tsv, [b.tsv]]", "expected the path of a file, not a list"),
        ('[a.tsv, {path: b.tsv, articles: "0:1"}]', "'articles' is an option of the format squad"),
    ],
)
def test_lists_that_make_no_sense(parse: Parse, train: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse("kind: classification", "format: tsv", "columns: {text_a: t, label: l}", f"train: {train}")
    assert message in error.value.message and error.value.line == 8


def test_lists_of_parallel_files_that_differ(parse: Parse) -> None:
    with pytest.raises(InputError, match="has other columns here than in the first files of train"):
        parse(
            "kind: classification", "format: lines", "train: [{text_a: a, label: b}, {text_a: c, label: d, text_b: e}]"
        )
