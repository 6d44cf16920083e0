"""Rows of the kind next_sentence: documents of sentences."""

from __future__ import annotations

from tests.one_corpus import Read, faults, json_lines


def test_documents(read: Read) -> None:
    lines = ("kind: next_sentence", "format: jsonl")
    data = read(
        *lines,
        "columns: {text: t}",
        train=json_lines({"t": "It is. It was!\nNo"}, {"t": "他走了。我没有。"}, {"t": ""}),
    )
    found = [e.texts for e in data.splits["train"].examples]
    assert found == [("It is.", "It was!", "No"), ("他走了。", "我没有。")]
    assert data.splits["train"].skipped == {"empty text": 1}
    content = json_lines(
        {"s": "a", "d": 1}, {"s": "b", "d": 1}, {"s": " ", "d": 1}, {"s": "c", "d": 2}, {"s": "d", "d": 1}
    )
    data = read(*lines, "columns: {sentence: s, document: d}", train=content)
    assert [e.texts for e in data.splits["train"].examples] == [("a", "b"), ("c",), ("d",)]
    assert [e.line for e in data.splits["train"].examples] == [1, 4, 5]
    data = read(*lines, "columns: {text: t}", train=json_lines({"t": "One."}, {"t": "Two."}))
    assert faults(data) == ["1: no document has two sentences, of which pairs are made"]
    table = ("kind: next_sentence", "format: tsv", "header: false", "columns: {sentence: 0}")
    data = read(*table, train="a\nb\n\n\nc\n")
    assert [e.texts for e in data.splits["train"].examples] == [("a", "b"), ("c",)]
    assert data.splits["train"].skipped == {"blank row between documents": 2}
