"""Whatever stands in a file: no traceback, and every row is an example, skipped, or a fault."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.readers import Example
from skill_plugin.readers.read_corpus import CorpusData
from tests.one_corpus import read_data

Row = dict[str, Any]
# the columns that a kind may have, and a row that is right
RIGHT: dict[str, dict[str, Row]] = {
    "classification": {"text_a: a, label: b": {"a": "x y", "b": "1"}},
    "multilabel": {"text_a: a, label: b": {"a": "x y", "b": ["1", "2"]}},
    "regression": {"text_a: a, score: b": {"a": "x y", "b": 1.5}},
    "ranking": {
        "text_a: a, text_b: b, label: c": {"a": "x", "b": "y", "c": 1},
        "text_a: a, choices: b, label: c": {"a": "x", "b": ["y", "z"], "c": 1},
        "text_a: a, choices: [b, c], label: d": {"a": "x", "b": "y", "c": "z", "d": 1},
    },
    "labelling": {
        "token: a, tag: b": {"a": ["x", "y"], "b": ["O", "B-x"]},
        "text: a, entities: b": {"a": "x yz", "b": [[2, 4, "t"]]},
    },
    "span": {"question: a, context: b, answers: c, answer_start: d": {"a": "x", "b": "y zz", "c": "zz", "d": 2}},
    "word_in_context": {
        "text_a: a, start_a: b, end_a: c, start_b: b, end_b: c, word_a: d, label: e": {
            "a": "xy z", "b": 0, "c": 2, "d": "xy", "e": "1",
        },
    },
    "masked_lm": {"text: a": {"a": "x y"}},
    "next_sentence": {"text: a": {"a": "It is so. He is here."}, "sentence: a, document: b": {"a": "X y.", "b": "d"}},
}  # fmt: skip
CASES = [(kind, columns) for kind, shapes in RIGHT.items() for columns in shapes]
SQUAD = {
    "version": 1,
    "data": [
        {
            "title": "t",
            "paragraphs": [
                {
                    "context": "one two",
                    "qas": [
                        {"id": "q", "question": "how", "answers": [{"text": "two", "answer_start": 4}]},
                        {"id": "r", "question": "how", "answers": [], "is_impossible": True},
                    ],
                }
            ],
        }
    ],
}
MRQA = {
    "context": "one two",
    "qas": [
        {"qid": "q", "question": "h", "answers": [], "detected_answers": [{"text": "two", "char_spans": [[4, 6]]}]}
    ],
}
CONLL = "# text = a b\n1\ta\tO\n2-3\tb c\tO\n2\tb\tB-x\n\n# newdoc\n1 c I-x\n"

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["O", "1", "b a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abxt"), inner, max_size=3),
    max_leaves=6,
)
json_row = st.dictionaries(st.sampled_from("abcde"), values, max_size=5)
# whether a row is right but for these values, or has no others
json_rows = st.lists(st.tuples(st.booleans(), json_row), min_size=1, max_size=5)
damage = st.tuples(
    st.floats(0, 1),
    st.integers(0, 8),
    st.binary(max_size=6) | st.sampled_from([b"\n\n", b",", b"]", b"{", b'"', b"\t"]),
)


def damaged(data: bytes, damages: list) -> bytes:
    for place, length, new in damages:
        start = int(place * len(data))
        data = data[:start] + new + data[start + length :]
    return data


def check(data: CorpusData) -> None:
    split = data.splits["train"]
    assert split.examples or split.faults
    broken = [reason for reason in split.skipped if not reason.startswith(("dropped", "empty", "blank row", "answer"))]
    assert bool(broken) <= bool(split.faults)
    for fault in (*split.faults, *split.notices):
        assert "\n" not in str(fault)
        assert fault.line is None or fault.line >= 1
    for example in split.examples:
        sane(example)


def sane(example: Example) -> None:
    """What all that comes after the readers relies on."""
    assert example.texts
    for text in (*example.texts, *example.candidates):
        text.encode()  # no half characters
    for start, end in example.words:
        assert 0 <= start < end <= len(example.texts[0])
    for index, start, end in example.spans:
        assert 0 <= start < end <= len(example.texts[index])
    if example.words:
        assert isinstance(example.answer, tuple)
        assert len(example.answer) == len(example.words)
    if example.candidates:
        assert isinstance(example.answer, tuple)
        assert len(example.answer) == len(example.candidates)


@pytest.mark.parametrize(("kind", "columns"), CASES)
def test_what_is_right_is_read(tmp_path_factory: pytest.TempPathFactory, kind: str, columns: str) -> None:
    lines = (f"kind: {kind}", "format: jsonl", f"columns: {{{columns}}}")
    rows = [RIGHT[kind][columns]] * 2  # two, since a document of one sentence has no pairs
    split = read_data(
        tmp_path_factory.mktemp("json"), *lines, train="".join(json.dumps(row) + "\n" for row in rows)
    ).splits["train"]
    assert split.examples
    for example in split.examples:
        sane(example)
    assert [fault.message for fault in split.faults] == []


@pytest.mark.parametrize(("kind", "columns"), CASES)
@settings(max_examples=40)
@given(written=json_rows)
def test_rows_of_any_json_values(
    tmp_path_factory: pytest.TempPathFactory, kind: str, columns: str, written: list[tuple[bool, Row]]
) -> None:
    rows = [{**RIGHT[kind][columns], **row} if nearly else row for nearly, row in written]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    lines = (f"kind: {kind}", "format: jsonl", f"columns: {{{columns}}}")
    data = read_data(tmp_path_factory.mktemp("json"), *lines, train=content)
    check(data)
    split = data.splits["train"]
    if "text_b" in columns and kind == "ranking":
        kept = sum(len(example.candidates) for example in split.examples)
    elif "sentence" in columns:
        kept = sum(len(example.texts) for example in split.examples)
    else:
        kept = len(split.examples)
    assert kept + split.skipped.total() == len(written)


@pytest.mark.parametrize(("kind", "columns"), CASES)
@settings(max_examples=40)
@given(content=st.binary(max_size=120), format_=st.sampled_from(["tsv", "csv", "jsonl", "json"]))
def test_any_bytes_of_a_table(
    tmp_path_factory: pytest.TempPathFactory, kind: str, columns: str, content: bytes, format_: str
) -> None:
    if "entities" in columns and format_ in ("tsv", "csv"):
        return
    lines = (f"kind: {kind}", f"format: {format_}", f"columns: {{{columns}}}")
    head = b"a\tb\tc\td\te\n" if format_ == "tsv" else b"a,b,c,d,e\n" if format_ == "csv" else b""
    check(read_data(tmp_path_factory.mktemp("table"), *lines, train=head + content))


@given(content=st.binary(max_size=100), kind=st.sampled_from(["labelling", "masked_lm", "next_sentence"]))
def test_any_bytes_of_conll(tmp_path_factory: pytest.TempPathFactory, content: bytes, kind: str) -> None:
    columns = "columns: {token: 0, tag: 1}" if kind == "labelling" else "columns: {token: 0}"
    check(read_data(tmp_path_factory.mktemp("conll"), f"kind: {kind}", "format: conll", columns, train=content))


@given(content=st.binary(max_size=100))
def test_any_bytes_of_squad(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    for suffix in ("", ".gz"):
        check(read_data(tmp_path_factory.mktemp("squad"), "kind: span", "format: squad", suffix=suffix, train=content))


@given(damages=st.lists(damage, max_size=3), kind=st.sampled_from(["labelling", "masked_lm", "next_sentence"]))
def test_damaged_conll(tmp_path_factory: pytest.TempPathFactory, damages: list, kind: str) -> None:
    columns = "columns: {token: 1, tag: 2}" if kind == "labelling" else "columns: {token: 1}"
    content = damaged(CONLL.encode(), damages)
    check(read_data(tmp_path_factory.mktemp("conll"), f"kind: {kind}", "format: conll", columns, train=content))


@given(
    damages=st.lists(damage, max_size=3),
    form=st.sampled_from([SQUAD, MRQA, SQUAD["data"]]),
    indent=st.sampled_from([None, 1]),
)
def test_damaged_squad(
    tmp_path_factory: pytest.TempPathFactory, damages: list, form: object, indent: int | None
) -> None:
    content = damaged(json.dumps(form, indent=None if form is MRQA else indent).encode(), damages)
    check(read_data(tmp_path_factory.mktemp("squad"), "kind: span", "format: squad", train=content))


@given(
    question=values,
    context=values,
    answers=values,
    detected=values,
    key=st.sampled_from(["answers", "detected_answers"]),
)
def test_squad_of_any_values(
    tmp_path_factory: pytest.TempPathFactory,
    question: object,
    context: object,
    answers: object,
    detected: object,
    key: str,
) -> None:
    qas = [{"question": question, key: [{"text": answers, "char_spans": detected, "answer_start": detected}, answers]}]
    for paragraph in (
        {"context": context, "qas": qas},
        {"context": "a b", "qas": qas},
        {"context": "a", "qas": answers},
    ):
        content = json.dumps({"data": [{"paragraphs": [paragraph, detected]}, answers]})
        check(read_data(tmp_path_factory.mktemp("squad"), "kind: span", "format: squad", train=content))


@given(
    st.lists(st.sampled_from(["a\tO", "b\tB-x", "c", "\tO", "d\t", "#\tO", "e O", "# x = y"]), min_size=1, max_size=8)
)
def test_every_sentence_is_kept_or_counted(tmp_path_factory: pytest.TempPathFactory, written: list) -> None:
    content = "".join(f"z\tO\n{line}\n\n" for line in written)
    lines = ("kind: labelling", "format: conll", "columns: {token: 0, tag: 1}")
    split = read_data(tmp_path_factory.mktemp("conll"), *lines, train=content).splits["train"]
    assert len(split.examples) + split.skipped.total() == len(written)
    assert sum(len(example.words) for example in split.examples) == sum(
        1 if line == "# x = y" else 2 for line in written if line not in ("c", "\tO", "d\t")
    )
