"""``each``: a row for every element of lists within a row."""

from __future__ import annotations

from tests.one_corpus import Read, faults, json_lines

NESTED = {"id": 7, "p": {"text": "P", "qs": [{"q": "A", "as": [{"text": "x", "l": 1}]}, {"q": "B", "as": []}]}}


def test_each(read: Read) -> None:
    lines = ("kind: ranking", "format: jsonl", "each: p.qs")
    columns = "columns: {text_a: p.text, question: q, choices: as, candidate_text: text, candidate_label: l, query: id}"
    data = read(*lines, columns, train=json_lines(NESTED))
    assert [(e.texts, e.candidates, e.id) for e in data.splits["train"].examples] == [(("P", "A"), ("x",), "7")]
    assert faults(data) == ["1: the choices in column 'as' are a list of 0; expected a list with one or more"]
    lines = ("kind: ranking", "format: jsonl", "each: p.qs.as", "columns: {text_a: q, text_b: text, label: l}")
    data = read(*lines, train=json_lines(NESTED, {"p": {"qs": [{"q": "C", "as": [{"text": "y", "l": 0}]}]}}))
    assert [(e.texts, e.candidates) for e in data.splits["train"].examples] == [(("A",), ("x",)), (("C",), ("y",))]
    data = read(*lines, train=json_lines({"p": {}}, {"p": {"qs": 3}}, {"q": 1}, {"p": {"qs": [3]}}, 5))
    assert [fault.split("; did")[0] for fault in faults(data)] == [
        "1: the row has no 'qs' for each: p.qs.as",
        "2: the row has no 'as' for each: p.qs.as",
        "3: the row has no 'p' for each: p.qs.as; expected one of: q",
        "4: the row has no 'as' for each: p.qs.as",
        "5: the row has no 'p' for each: p.qs.as",
    ]
    data = read(
        "kind: masked_lm", "format: jsonl", "each: ps", "columns: {text: t}", train=json_lines({"ps": {"t": "a"}})
    )
    assert faults(data) == ["1: the row has an object at 'ps'; expected a list (each: ps)"]
    lines = ("kind: masked_lm", "format: json", "rows: data", "each: ps", "columns: {text: t}")
    data = read(*lines, train='{"data": [{"ps": [{"t": "a"}, {"t": "b"}]},\n{"ps": [{"t": "c"}, {"u": 1}]}]}')
    assert [(e.texts, e.line) for e in data.splits["train"].examples] == [(("a",), 1), (("b",), 1), (("c",), 2)]
    assert faults(data)[0].startswith(
        "2: the element of 'ps' in this row '1' has no column 't': the keys are ['u', 'ps']"
    )
