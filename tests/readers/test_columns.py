"""Columns from the end, first separators only, texts of several columns, columns of 0 and 1, lists in cells."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skill_plugin.readers import SplitData, read_split
from skill_plugin.readers.cell_values import looks_listed, parse_list
from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.spec import Corpus, parse_corpora_file, read_corpora_file

Make = Callable[..., Corpus]


@pytest.fixture
def make_corpus(tmp_path: Path) -> Make:
    """make_corpus("format: tsv", ..., train=b"...") writes the files and gives the corpus, of classification if no kind
    is said."""

    def make(*lines: str, **splits: bytes) -> Corpus:
        kind = [] if any(line.startswith("kind:") for line in lines) else ["kind: classification"]
        for split, content in splits.items():
            (tmp_path / split).write_bytes(content)
        section = [*kind, "language: en", *lines, *(f"{split}: {split}" for split in splits)]
        text = "languages: [en]\ncorpora:\n  c:\n" + "".join(f"    {line}\n" for line in section)
        return parse_corpora_file(text, tmp_path / "corpora.yaml").corpora["c"]

    return make


def table(rows: Sequence[Sequence[str]]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue().encode()


def faults(split: SplitData) -> list[tuple[int | None, str]]:
    return [(fault.line, fault.message) for fault in split.faults]


def test_columns_from_the_end_of_a_table(make_corpus: Make) -> None:
    lines = "format: tsv", "columns: {text_a: 0, label: -1}"
    with_header = make_corpus(*lines, train=b"t\tx\tl\none\t.\ta\ntwo\t.\tb\n")
    assert [(e.texts[0], e.answer) for e in read_split(with_header, "train").examples] == [("one", "a"), ("two", "b")]
    without = "format: tsv", "header: false", "columns: {text_a: -2, label: -1}"
    split = read_split(make_corpus(*without, train=b".\t.\tone\ta\n.\t.\ttwo\tb\n"), "train")
    assert [(e.texts[0], e.answer) for e in split.examples] == [("one", "a"), ("two", "b")]
    extra = make_corpus(
        "format: tsv",
        "header: false",
        "columns: {text_a: 0, label: -1}",
        "extra_cells: drop",
        train=b"one\ta\n2\t.\tb\n",
    )
    split = read_split(extra, "train")
    assert [(e.texts[0], e.answer) for e in split.examples] == [("one", "a"), ("2", "b")] and not split.faults
    assert "of which only 2 are used" in split.notices[0].message


def test_a_cell_is_not_two_columns(make_corpus: Make) -> None:
    lines = "format: tsv", "header: false", "columns: {text_a: 0, label: -1}"
    assert [line for line, _ in faults(read_split(make_corpus(*lines, train=b"one\na\tb\n"), "train"))] == [1]
    test = read_split(make_corpus(*lines, test=b"one\ntwo\n"), "test")  # no labels: not the text as a label
    assert [(e.texts[0], e.answer) for e in test.examples] == [("one", None), ("two", None)]


def test_columns_from_the_end_of_conll(make_corpus: Make) -> None:
    lines = "kind: labelling", "format: conll", "columns: {token: 0, tag: -1}", "extra_cells: drop"
    corpus = make_corpus(*lines, train=b"EU NNP I-NP B-ORG\nrejects VBZ O\n\nlone\n")
    split = read_split(corpus, "train")
    assert [(e.texts[0], e.answer) for e in split.examples] == [("EU rejects", ("B-ORG", "O"))]
    assert [line for line, _ in faults(split)] == [4]


def test_first_separators_only(make_corpus: Make) -> None:
    text = b"pos a  text of any length\nneg short\n"
    lines = "format: tsv", "header: false", 'separator: " "', "max_cells: 2", "columns: {label: 0, text_a: 1}"
    split = read_split(make_corpus(*lines, train=text), "train")
    assert [(e.answer, *e.texts) for e in split.examples] == [("pos", "a  text of any length"), ("neg", "short")]
    assert [line for line, _ in faults(read_split(make_corpus(*lines, train=text + b"pos\n"), "train"))] == [3]
    lines = "format: csv", "quoting: none", "max_cells: 2", "columns: {label: l, text_a: t}"
    split = read_split(make_corpus(*lines, train=b'l,t\na,one, two, "three"\nb,x\n'), "train")
    assert split.examples[0].texts == ('one, two, "three"',)
    lines = "kind: labelling", "format: conll", "max_cells: 2", "columns: {tag: 0, token: 1}"
    split = read_split(make_corpus(*lines, train=b" O New  York \nB-x is\n"), "train")
    assert split.examples[0].texts == ("New  York is",)


def test_texts_of_several_columns(make_corpus: Make) -> None:
    rows = [("title", "body", "l"), ("T", "b b", "x"), ("", "only", "y"), ("  ", " ", "x")]
    split = read_split(
        make_corpus("format: csv", "columns: {text_a: [title, body], label: l}", train=table(rows)), "train"
    )
    assert [e.texts[0] for e in split.examples] == ["T b b", "only", ""]
    columns = "columns: {text_a: {columns: [1, 0], join: ' | '}, label: 2}"
    split = read_split(make_corpus("format: csv", "header: false", columns, train=table(rows)), "train")
    assert [e.texts[0] for e in split.examples] == ["body | title", "b b | T", "only", ""]


KINDS = [
    ("classification", "text_a: [t, u], text_b: [b, c], label: l", ("T U", "B C")),
    ("multilabel", "text_a: [t, u], label: l", ("T U",)),
    ("regression", "text_a: [t, u], text_b: [b, c], score: n", ("T U", "B C")),
    ("ranking", "text_a: [t, u], question: [b, c], text_b: t, label: n", ("T U", "B C")),
    ("ranking", "text_a: [t, u], choices: [b, c], label: n", ("T U",)),
    ("span", "question: [t, u], context: [b, p, c], answers: b", ("T U", "B p1 p2 C")),
    ("masked_lm", "text: [t, p]", ("T p1 p2",)),
    ("next_sentence", "text: [t, s]", ("T", "One.", "Two.")),
]


@pytest.mark.parametrize(("kind", "columns", "texts"), KINDS)
@pytest.mark.parametrize("format_", ["jsonl", "csv"])
def test_every_text_of_every_kind(
    make_corpus: Make, kind: str, columns: str, texts: tuple[str, ...], format_: str
) -> None:
    row = {"t": "T", "u": "U", "b": "B", "c": "C", "l": "x", "n": 1, "p": ["p1", " ", "p2"], "s": "\nOne. Two."}
    content = json.dumps(row).encode() if format_ == "jsonl" else table([list(row), [str(v) for v in row.values()]])
    split = read_split(
        make_corpus(f"kind: {kind}", f"format: {format_}", f"columns: {{{columns}}}", train=content), "train"
    )
    assert [e.texts for e in split.examples] == [texts] and not split.faults


def test_a_list_of_paragraphs(make_corpus: Make) -> None:
    lines = "kind: span", "format: jsonl"
    rows = [{"q": "q?", "c": ["one two", "", "three"], "a": ["three"]}, {"q": "q?", "c": [], "a": []}]
    content = "\n".join(map(json.dumps, rows)).encode()
    split = read_split(make_corpus(*lines, "columns: {question: q, context: c, answers: a}", train=content), "train")
    assert [(e.texts[1], e.answer) for e in split.examples] == [("one two three", ((8, "three"),)), ("", ())]
    columns = 'columns: {question: q, context: {columns: c, join: "\\n"}, answers: a}'
    assert read_split(make_corpus(*lines, columns, train=content), "train").examples[0].texts[1] == "one two\nthree"
    wrong = [{"q": "q?", "c": ["a", ["b"]], "a": []}, {"q": "q?", "c": ["a", 1], "a": []}]
    content = "\n".join(map(json.dumps, wrong)).encode()
    split = read_split(make_corpus(*lines, "columns: {question: q, context: c, answers: a}", train=content), "train")
    assert [line for line, message in faults(split) if "a text in the list in column 'c' is" in message] == [1, 2]


def test_offsets_in_a_joined_context_are_refused(make_corpus: Make) -> None:
    lines = "kind: span", "format: jsonl"
    answers = {"text": ["b"], "answer_start": [0]}
    rows = [{"q": "q?", "t": "a", "c": "b", "a": answers}, {"q": "q?", "t": "", "c": "b", "a": answers}]
    content = "\n".join(map(json.dumps, rows)).encode()
    split = read_split(
        make_corpus(*lines, "columns: {question: q, context: [t, c], answers: a}", train=content), "train"
    )
    assert [line for line, message in faults(split) if "offset of an answer has no meaning" in message] == [1]
    assert [e.answer for e in split.examples] == [((0, "b"),)]  # one part: its offsets are right
    columns = "columns: {question: q, context: [t, c], answers: a.text}"
    split = read_split(make_corpus(*lines, columns, train=content), "train")
    assert [e.answer for e in split.examples] == [((2, "b"),), ((0, "b"),)]


def test_offsets_in_lists_of_paragraphs_are_refused(make_corpus: Make) -> None:
    row = {"t": ["a", "b"], "e": {}, "l": "x", "s": 0, "w": "a"}
    content = json.dumps(row).encode()
    for lines in (
        ("kind: labelling", "columns: {text: t, entities: e}"),
        ("kind: word_in_context", "columns: {text_a: t, start_a: s, start_b: s, word_a: w, word_b: w, label: l}"),
    ):
        split = read_split(make_corpus("format: jsonl", *lines, train=content), "train")
        assert "the text in column 't' is a list of 2; expected a string" in split.faults[0].message


def multilabel(make_corpus: Make, columns: str, content: bytes, *lines: str, split: str = "train") -> SplitData:
    corpus = make_corpus("kind: multilabel", "format: csv", f"columns: {{{columns}}}", *lines, **{split: content})
    return read_split(corpus, split)


def test_columns_of_0_and_1(make_corpus: Make, shared: Path) -> None:
    file = read_corpora_file(shared / "cases" / "01-multihot-columns" / "corpora.yaml")
    data = CorpusReader(file).read(file.corpora["toxic-en"])
    assert data.labels == ("toxic", "threat", "insult") and not data.faults
    assert [e.answer for e in data.splits["train"].examples] == [(), ("toxic", "insult"), ("toxic", "threat"), ()]


@pytest.mark.parametrize("bad", ["2", "yes", "", "0.5", "-1", "nan"])
def test_all_else_than_0_and_1_is_a_fault(make_corpus: Make, bad: str) -> None:
    rows = [("t", "a", "b"), ("one", "1", "0"), ("two", "true", "1.0"), ("three", bad, "1")]
    split = multilabel(make_corpus, "text_a: t, label: {x: a, y: b}", table(rows))
    assert [e.answer for e in split.examples] == [("x",), ("x", "y")]
    assert [line for line, _ in faults(split)] == [4] and "of the label 'x' is" in split.faults[0].message


def test_columns_of_0_and_1_of_a_test_split(make_corpus: Make) -> None:
    rows = [("t", "a", "b"), ("one", "1", "0")]
    columns = "text_a: t, label: [a, b]"
    blind = multilabel(make_corpus, columns, table([("t",), ("one",)]), split="test")
    assert [e.answer for e in blind.examples] == [None] and not blind.faults
    assert [n.message.split(" in the header")[0] for n in blind.notices] == ["no column 'a', 'b'"]
    assert (
        multilabel(make_corpus, columns, table([("t", "a", "b"), ("one", "", "")]), split="test").examples[0].answer
        is None
    )
    part = multilabel(make_corpus, columns, table([row[:2] for row in rows]), split="test")
    assert "column 'b' of the label 'b' is empty; expected 0 or 1" in part.faults[0].message
    dropped = multilabel(make_corpus, columns, table([*rows, ("two", "0", "1")]), "drop_labels: [b]")
    assert [e.answer for e in dropped.examples] == [("a",)] and dropped.skipped == {"dropped label 'b'": 1}
    corpus = make_corpus("kind: multilabel", "format: jsonl", "columns: {text_a: t, label: {a: m.0, b: m.1}}",
                         train=b'{"t": "x", "m": [0, 1]}\n{"t": "y", "m": [true, false]}')  # fmt: skip
    assert [e.answer for e in read_split(corpus, "train").examples] == [("b",), ("a",)]


def test_lists_as_a_data_frame_writes_them(shared: Path) -> None:
    folder = shared / "cases" / "02-python-lists"
    file = read_corpora_file(folder / "corpora.yaml")
    data = CorpusReader(file).read(file.corpora["feel-en"])
    answers = [e.answer for e in data.splits["train"].examples]
    assert answers == [("joy",), ("sadness", "anger"), ("anger",), ()] and not data.faults
    file = read_corpora_file(folder / "multihot.yaml")
    told = CorpusReader(file).read(file.corpora["feel-en"]).splits["train"].faults
    assert [fault.line for fault in told] == [2, 3, 4, 5]
    assert "a 0 or 1 for each label; expected the labels' names, or a column for each" in told[0].message


BROKEN = ["['a' 'b']", "[a, b]", "['a', 'b'", "['a', b]", "['a', nan]", r"['\x']", "['a\n', None]"]


@pytest.mark.parametrize("cell", [cell for cell in BROKEN if cell.endswith("]")])
def test_what_looks_like_a_list_and_is_none_is_a_fault(make_corpus: Make, cell: str) -> None:
    def told(kind: str, columns: str, row: dict[str, str]) -> bool:
        content = table([list(row), list(row.values())])
        split = read_split(
            make_corpus(f"kind: {kind}", "format: csv", f"columns: {{{columns}}}", train=content), "train"
        )
        return [fault.line for fault in split.faults] == [2] and "looks like a list" in split.faults[0].message

    assert told("multilabel", "text_a: t, label: l", {"t": "x", "l": cell})
    assert told("ranking", "text_a: t, choices: c, label: l", {"t": "x", "c": cell, "l": "0"})
    assert told("labelling", "token: t, tag: g", {"t": "x", "g": cell})
    if "'" in cell:  # without quotes it is a text in brackets
        assert told("labelling", "token: t, tag: g", {"t": cell, "g": "O"})
        assert told("span", "question: t, context: c, answers: a", {"t": "x", "c": "a b", "a": cell})
        assert told("masked_lm", "text: {columns: t}", {"t": cell})


def test_python_lists_of_every_kind(make_corpus: Make) -> None:
    def answer(kind: str, columns: str, *row: str) -> tuple[object, ...]:
        content = table([list("abc")[: len(row)], row])
        split = read_split(
            make_corpus(f"kind: {kind}", "format: csv", f"columns: {{{columns}}}", train=content), "train"
        )
        assert not split.faults
        return split.examples[0].texts, split.examples[0].candidates, split.examples[0].answer

    words = answer("labelling", "token: a, tag: b", "['EU', \"don't\"]", "['O', 'B-x']")
    assert words == (("EU don't",), (), ("O", "B-x"))
    assert answer("labelling", "token: a, tag: b", "[ so it is ]", "O O O O O")[0] == ("[ so it is ]",)
    assert answer("span", "question: a, context: b, answers: c", "q", "x y z", "['z', 'y']")[2] == ((4, "z"), (2, "y"))
    assert answer("span", "question: a, context: b, answers: c", "q", "x [1] z", "[1]")[2] == ((2, "[1]"),)
    assert answer("span", "question: a, context: b, answers: c", "q", "x", "[]")[2] == ()
    assert answer("ranking", "text_a: a, choices: b, label: c", "q", "['x', 'y']", "1")[1:] == (("x", "y"), (0, 1))


def test_a_text_that_is_a_list_is_a_notice(make_corpus: Make) -> None:
    content = table([("t", "l"), ("['one', 'two']", "x"), ("[1]", "y")])
    split = read_split(make_corpus("format: csv", "columns: {text_a: t, label: l}", train=content), "train")
    assert [e.texts[0] for e in split.examples] == ["['one', 'two']", "[1]"]
    assert "(text_a: {columns: t} joins their parts): 1, the first one here" in split.notices[0].message


@given(st.lists(st.text()))
@example(["it's", 'say "x"', "back\\slash", "\n\t\x00é😀\ud800"])
def test_lists_of_strings_are_read_back(strings: list[str]) -> None:
    assert looks_listed(repr(strings), quoted=True) and parse_list(repr(strings)) == strings
    assert parse_list(json.dumps(strings)) == strings


@given(st.text("[]'\"\\, ab0n\n", max_size=12))
def test_any_other_cell_is_no_list(text: str) -> None:
    found = parse_list(text)
    assert found is None or isinstance(found, list)


def test_as_inherits_columns_and_labels(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("t,u,a,b\none,1,0,1\ntwo,2,1,0\n", encoding="utf-8")
    section = "kind: multilabel, format: csv, columns: {text_a: [t, u], label: [b, a]}, language: en, train: t.csv"
    text = f"languages: [en]\ncorpora:\n  c: {{{section}}}\n  d: {{as: c, language: en, test: t.csv}}\n"
    file = parse_corpora_file(text, tmp_path / "corpora.yaml")
    data = CorpusReader(file).read(file.corpora["d"])
    assert data.labels == ("b", "a") and not data.faults
    assert [(e.texts, e.answer) for e in data.splits["test"].examples] == [(("one 1",), ("b",)), (("two 2",), ("a",))]
