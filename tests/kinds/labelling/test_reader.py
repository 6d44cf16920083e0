"""Rows of the kind labelling: words and tags in cells, and a row a token."""

from __future__ import annotations

from pathlib import Path

from tests.one_corpus import Read, faults, json_lines, notices, words_and_tags


def test_labelling_in_tables_and_json(read: Read, tmp_path: Path) -> None:
    table = ("kind: labelling", "format: tsv", "columns: {token: a, tag: b}")
    data = read(*table, train="a\tb\nx  y \tO B-x\nz\tO O\n")
    assert [(e.texts, e.answer) for e in data.splits["train"].examples] == [(("x y",), ("O", "B-x"))]
    assert faults(data) == ["3: 1 word but 2 tags; expected one tag a word"]
    data = read(*table, "word_separator: '|'", language="zh", train="a\tb\n我|爱\tO|B-x\nx||y\tO|O|O\n")
    assert data.splits["train"].examples[0].texts == ("我爱",)
    assert faults(data) == ["3: the word 1 (from 0) is empty"]
    lists = ("kind: labelling", "format: jsonl", "columns: {token: a, tag: b}")
    data = read(
        *lists, train=json_lines({"a": ["x y", "z"], "b": [0, 3]}, {"a": [], "b": []}, {"a": "x z", "b": "O B-x"})
    )
    assert [(e.texts, e.answer, e.words) for e in data.splits["train"].examples] == [
        (("x y z",), ("0", "3"), ((0, 3), (4, 5))),
        (("x z",), ("O", "B-x"), ((0, 1), (2, 3))),
    ]
    assert faults(data) == ["2: no words; expected one or more"]
    data = read(
        *lists, train=json_lines({"a": ["x", 3], "b": ["O", "O"]}, {"a": ["x"], "b": [None]}, {"a": 1, "b": []})
    )
    assert faults(data)[:3] == [
        "1: a word is the number 3; expected a string",
        "2: the tag of word 0 (from 0) is null; expected a string or a whole number",
        "3: the words in column 'a' are the number 1; expected a list or a string",
    ]
    (tmp_path / "words").write_text("x y\nz\n")
    (tmp_path / "tags").write_text("O B-x\nO O\n")
    data = read("kind: labelling", "format: lines", "train: {token: words, tag: tags}")
    assert [(e.texts, e.answer) for e in data.splits["train"].examples] == [(("x y",), ("O", "B-x"))]
    assert [str(fault) for fault in data.faults] == [f"{tmp_path}/tags:2: 1 word but 2 tags; expected one tag a word"]


ROWS_OF_TOKENS = ("kind: labelling", "format: csv", "columns: {token: w, tag: t, sentence: s}")


def test_a_row_a_token(read: Read) -> None:
    train = "s,w,t\n1,New York,B-x\n,is,O\n2,big,O\n2,.,O\n1,so,O\n"
    data = read(*ROWS_OF_TOKENS, train=train)
    assert (faults(data), notices(data)) == ([], [])
    assert words_and_tags(data) == [(["New York", "is"], ("B-x", "O")), (["big", "."], ("O", "O")), (["so"], ("O",))]
    assert [example.line for example in data.splits["train"].examples] == [2, 4, 6]
    data = read(*ROWS_OF_TOKENS, train=train, test="s,w\n1,a\n1,b\n")
    assert words_and_tags(data, "test") == [(["a", "b"], None)]
    broken = train.replace("big,O", "big,").replace("so,O", "so,X")
    data = read(*ROWS_OF_TOKENS, "labels: [O, B-x]", train=broken)
    assert faults(data) == [
        "4: the tag of word 0 (from 0) is empty; expected a string or a whole number",
        "6: unknown tag 'X'; expected one of: O, B-x",
    ]
    assert (len(data.splits["train"].examples), data.splits["train"].skipped.total()) == (1, 3)
    data = read(*ROWS_OF_TOKENS, "drop_labels: [B-x]", "labels: [O, B-y]", train=train)
    assert (faults(data), data.splits["train"].skipped) == ([], {"dropped label 'B-x'": 2})


def test_sentences_end_with_their_file(read: Read, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"s,w,t\n1,{name}1,O\n,{name}2,B-x\n")
    data = read(*ROWS_OF_TOKENS, "train: [a, b]")
    assert words_and_tags(data) == [(["a1", "a2"], ("O", "B-x")), (["b1", "b2"], ("O", "B-x"))]
    assert [(Path(e.file).name, e.line) for e in data.splits["train"].examples] == [("a", 2), ("b", 2)]
    (tmp_path / "a").write_text("s,w,t\n1,a1,O\n,a2,\n")
    (fault,) = read(*ROWS_OF_TOKENS, "train: [a, b]").faults
    assert (Path(fault.file).name, fault.line) == ("a", 3)


def test_rows_of_one_word_are_told(read: Read) -> None:
    lines = ("kind: labelling", "format: csv", "columns: {token: w, tag: t}")
    train = "s,w,t\n" + "".join(f"1,a{n}b,{'OB'[n % 2]}\n" for n in range(10))
    assert notices(read(*lines, train=train))[0].startswith(
        "2: every row is a sentence of one word (columns: {sentence"
    )
    assert notices(read(*lines, train=train + "2,c d,O B\n")) == []
    assert notices(read(*lines, train=train.rpartition("1,a9b")[0])) == []


PATTERN = ("kind: labelling", "format: tsv", "columns: {token: w, tag: t}")


def test_tokens_within_cells(read: Read) -> None:
    train = "w\tt\n" + "".join(f"I{n} am{n} 2{n}\tO B-x O\n" for n in range(4))
    data = read(*PATTERN, train=train)
    message = (
        "every word ends in a digit (pattern: '(.+?)[0-9]+' takes off what is not part of the words): 12, the first"
    )
    assert notices(data)[0].startswith(f"2: {message}")
    data = read(*PATTERN, "pattern: (.+)[0-9]", train=train)
    assert words_and_tags(data) == [(["I", "am", "2"], ("O", "B-x", "O"))] * 4
    assert (faults(data), notices(data)) == ([], [])
    data = read(*PATTERN, "pattern: (.*)[0-9]", train=train + "you x 1\tO O O\n1\tO\n")
    assert faults(data) == [
        "6: the token 'you' does not match the pattern '(.*)[0-9]'",
        "7: the token '1' does not match the pattern '(.*)[0-9]'",
    ]
    assert notices(read(*PATTERN, train="w\tt\n" + "1 2 3 4 5 6\tO B-x O O O O\n" * 2)) == []  # numbers alone
