"""Rows of the kind word_in_context: where the words are."""

from __future__ import annotations

from tests.one_corpus import Read, faults, json_lines, notices

WIC = "columns: {text_a: s, text_b: t, start_a: a, end_a: b, start_b: c, end_b: d, word_a: w, word_b: w, label: l}"
WSC = ("offsets: words", "columns: {text_a: s, start_a: a, start_b: b, word_a: v, word_b: w, label: l}")


def test_words_in_two_texts(read: Read) -> None:
    lines = ("kind: word_in_context", "format: jsonl", WIC)
    row = {"s": "You feel it.", "t": "She felt it.", "a": 4, "b": 8, "c": 4, "d": 8, "w": "feel", "l": True}
    data = read(*lines, "labels: ['false', 'true']", valid=json_lines(row))
    example = data.splits["valid"].examples[0]
    assert (example.spans, example.answer) == (((0, 4, 8), (1, 4, 8)), "true")
    expected = "words that are not the text at their offsets: 1, the first one here ('feel' is 'felt' there)"
    assert notices(data, "valid") == [f"1: {expected}"]
    for change in ({"b": 99}, {"a": 8}, {"a": -1}):
        data = read(*lines, "labels: ['false', 'true']", valid=json_lines({**row, **change}))
        assert "(exclusive); expected offsets in characters between 0 and 12" in faults(data)[0]
    data = read(*lines, "labels: ['false', 'true']", valid=json_lines({**row, "a": "x"}))
    assert faults(data)[0] == "1: the offset in column 'a' is the string 'x'; expected a whole number from 0"


def test_words_by_number(read: Read) -> None:
    lines = ("kind: word_in_context", "format: jsonl", "labels: ['false', 'true']", *WSC)
    text = "The  demonstrators hit it, they said."
    row = {"s": text, "a": 0, "b": 3, "v": "the demonstrators", "w": "it", "l": "true"}
    data = read(*lines, valid=json_lines(row))
    spans = data.splits["valid"].examples[0].spans
    assert [text[a:b] for _, a, b in spans] == ["The  demonstrators", "it"]
    assert [index for index, _, _ in spans] == [0, 0]
    assert len(notices(data, "valid")) == 1  # two spaces are not one
    data = read(*lines, valid=json_lines({**row, "b": 6}))
    assert faults(data)[0].startswith(
        "1: the word b is at 6 to 7 (exclusive); expected offsets in words between 0 and 6"
    )
