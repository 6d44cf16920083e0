"""Ids of queries, questions, documents and sentences, as the readers of all kinds take them."""

from __future__ import annotations

import json

import pytest

from tests.one_corpus import Read, faults

KINDS = {
    "query's id": ("kind: ranking", "columns: {query: i, text_a: a, text_b: b, label: l}", {"l": 1}),
    "id": ("kind: span", "columns: {id: i, question: a, context: b, answers: b}", {}),
    "document": ("kind: next_sentence", "columns: {document: i, sentence: a}", {}),
    "sentence": ("kind: labelling", "columns: {sentence: i, token: a, tag: b}", {}),
}


@pytest.mark.parametrize("what", KINDS)
@pytest.mark.parametrize(
    ("written", "told"), [([1], "a list of 1"), (1.5, "the number 1.5"), ("\ud800", "half a surrogate pair")]
)
def test_what_is_no_id_is_told_as_it_is(read: Read, what: str, written: object, told: str) -> None:
    kind, columns, more = KINDS[what]
    rows = [{"i": one, "a": "O", "b": "O", **more} for one in ("x", written)]
    found = faults(read(kind, "format: jsonl", columns, train="".join(f"{json.dumps(row)}\n" for row in rows)))
    assert f"2: the {what} is {told}; expected a string or a whole number" in found[0]
