"""Offsets in other units than characters, against Python's own encodings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.readers.offsets import CHARACTERS, UNITS, Claim, find_character, find_places, guess_unit
from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import read_corpora_file
from tests.one_corpus import Read, faults, notices

TEXTS = st.text(st.sampled_from("ab é中😀\u0301"), min_size=1, max_size=20)


def counted(text: str, unit: str) -> int:
    """How many units a text has."""
    if unit == "bytes":
        return len(text.encode())
    return len(text.encode("utf-16-be")) // 2 if unit == "UTF-16 units" else len(text)


@given(TEXTS, st.sampled_from(UNITS))
def test_every_offset_of_a_text(text: str, unit: str) -> None:
    places = {counted(text[:place], unit): place for place in range(len(text) + 1)}
    for offset in range(-2, counted(text, unit) + 3):
        assert find_character(text, offset, unit) == places.get(offset)


@given(
    st.lists(st.tuples(TEXTS, st.integers(0, 19), st.integers(1, 5)), min_size=1, max_size=8), st.sampled_from(UNITS)
)
def test_the_unit_that_explains_all_pieces_is_found(spans: list[tuple[str, int, int]], unit: str) -> None:
    spans = [(text, start % len(text), length) for text, start, length in spans]
    claims = [Claim(text, counted(text[:s], unit), text[s : s + length]) for text, s, length in spans]
    found = guess_unit(claims)
    for claim in claims:  # whatever its name, it puts all pieces at their offsets
        at = find_character(claim.text, claim.offset, found)
        assert at is not None
        assert claim.text.startswith(claim.piece, at)
    if all(counted(text[:s], unit) == s for text, s, _ in spans):
        assert found == CHARACTERS


@given(st.text("ab", min_size=1, max_size=3), st.text("ab", max_size=12))
def test_places(piece: str, text: str) -> None:
    assert list(find_places(piece, text)) == [i for i in range(len(text)) if text[i:].startswith(piece)]


def test_one_slip_in_twenty_does_not_hide_the_unit() -> None:
    right, slip = Claim("é b a b", 3, "b"), Claim("é b a b", 0, "a")
    assert guess_unit([right] * 19 + [slip]) == "bytes"
    assert guess_unit([right] * 18 + [slip]) == CHARACTERS


def test_pieces_that_are_nowhere_and_other_case_say_nothing() -> None:
    assert guess_unit([Claim("é b", 3, "b"), Claim("é b", 0, "x"), Claim("É B", 3, "b")]) == "bytes"
    assert guess_unit([]) == CHARACTERS


def answers(data: CorpusData, split: str = "train") -> list[Any]:
    assert faults(data) == []
    return [example.answer for example in data.splits[split].examples]


def case(shared: Path, name: str, file: str = "corpora.yaml") -> CorpusData:
    spec = read_corpora_file(shared / "cases" / name / file)
    (corpus,) = spec.corpora.values()
    return CorpusReader(spec).read(corpus)


@pytest.mark.parametrize(
    ("name", "unit", "starts"),
    [("10-utf16-offsets", "UTF-16 units", [41, 3, 22, 4]), ("34-byte-offsets", "bytes", [46, 91])],
)
def test_answers_in_other_units(shared: Path, name: str, unit: str, starts: list[int]) -> None:
    data = case(shared, name)
    for split in ("train", "valid"):
        assert [answer[0][0] for answer in answers(data, split)] == starts
        (notice,) = notices(data, split)
        assert f"offsets of answers that count {unit} (all of the split are read so): {len(starts)}, the" in notice


def test_answers_by_their_first_place_where_there_is_no_offset(read: Read) -> None:
    rows = [{"q": "?", "c": "one two one", "a": answer} for answer in ("one", "two", ["one", "two"])]
    train = "\n".join(map(json.dumps, rows))
    data = read("kind: span", "format: jsonl", "columns: {question: q, context: c, answers: a}", train=train)
    assert answers(data) == [((0, "one"),), ((4, "two"),), ((0, "one"), (4, "two"))]
    several = "answers without an offset that are in several places of their context (the first one is taken)"
    assert notices(data) == [f"1: {several}: 2, the first one here ('one')"]


def test_questions_whose_answers_are_empty_have_none(shared: Path) -> None:
    data = case(shared, "12-empty-answer")
    for split in ("train", "valid"):
        assert answers(data, split) == [((20, "nine"),), (), (), ((39, "five"),)]
        (notice,) = notices(data, split)
        assert "questions whose answers are all without text (taken to have no answer): 2" in notice
    for file in ("strings.yaml", "plausible.yaml"):
        data = case(shared, "12-empty-answer", file)
        assert answers(data) == [((20, "nine"),), (), ()]
        (notice,) = notices(data)
        assert "questions said to be impossible that have answers all the same, which are left out: 1" in notice


@pytest.mark.parametrize("value", [True, 1, "1", "true", " TRUE ", "yes", 1.0])
def test_impossible_in_any_spelling(read: Read, value: Any) -> None:
    columns = "columns: {question: q, context: c, answers: a, is_impossible: i}"
    rows = [{"q": "?", "c": "one", "a": "one", "i": i} for i in (value, None, "", False, "no", "0")]
    data = read("kind: span", "format: jsonl", columns, train="\n".join(map(json.dumps, rows)))
    assert answers(data) == [(), *[((0, "one"),)] * 5]


def test_impossible_in_no_spelling(read: Read) -> None:
    columns = "columns: {question: q, context: c, answers: a, is_impossible: i}"
    row = {"q": "?", "c": "one", "a": "one", "i": "perhaps"}
    data = read("kind: span", "format: jsonl", columns, train=json.dumps(row))
    assert faults(data) == ["1: is_impossible is the string 'perhaps'; expected true or false"]


def test_mrqa_in_other_units(read: Read) -> None:
    context = "😀😀 two, two"
    detected = [{"text": "two", "char_spans": [[5, 7]]}, {"text": "two", "char_spans": [[10, 12]]}]
    qas = [{"qid": "q", "question": "?", "answers": ["two"], "detected_answers": detected}]
    data = read("kind: span", "format: squad", train=json.dumps({"context": context, "qas": qas}))
    assert answers(data) == [((3, "two"), (8, "two"))]


def test_words_in_other_units(read: Read) -> None:
    columns = "columns: {text_a: a, text_b: b, word_a: w, word_b: w, start_a: s, start_b: t, label: y}"
    rows = [
        {"a": "déjà a bank", "b": "the bank", "w": "bank", "s": 9, "t": 4, "y": "T"},
        {"a": "ça", "b": "à la bank: bank", "w": "bank", "s": 0, "t": 12, "y": "F"},  # nowhere in the first text
    ]
    train = "\n".join(map(json.dumps, rows))
    data = read("kind: word_in_context", "format: jsonl", columns, train=train)
    assert [fault[:27] for fault in faults(data)] == ["2: the word a is at 0 to 4 "]
    rows[1].update(a="à bank", s=3)
    data = read("kind: word_in_context", "format: jsonl", columns, train="\n".join(map(json.dumps, rows)))
    assert faults(data) == []
    assert [e.spans for e in data.splits["train"].examples] == [((0, 7, 11), (1, 4, 8)), ((0, 2, 6), (1, 11, 15))]
    unit = "offsets of words that count bytes (all of the split are read so)"
    assert notices(data) == [f"1: {unit}: 3, the first one here ('bank')"]
