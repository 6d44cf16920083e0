"""Rows of the kind masked_lm: raw text."""

from __future__ import annotations

from tests.one_corpus import Read, faults, json_lines


def test_raw_text(read: Read) -> None:
    data = read(
        "kind: masked_lm", "format: jsonl", "columns: {text: t}", train=json_lines({"t": " a "}, {"t": " "}, {"t": "b"})
    )
    assert [e.texts for e in data.splits["train"].examples] == [(" a ",), ("b",)]
    assert (data.labels, data.splits["train"].skipped, faults(data)) == (None, {"empty text": 1}, [])
