"""Rows of the kind ranking: candidates scattered over rows, or choices within one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import read_corpora_file
from tests.one_corpus import Read, faults, json_lines, notices, read_data

ROWS = ("kind: ranking", "format: tsv", "header: false", "columns: {label: 0, text_a: 1, text_b: 2}")
CHOICES = ("kind: ranking", "format: jsonl", "columns: {text_a: p, choices: [c1, c2], label: l}")

scattered = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from("abcd"), st.text("xyz", max_size=3)), min_size=1, max_size=12
)


@given(scattered)
def test_scattered_rows_of_a_query_are_one_query(tmp_path_factory: pytest.TempPathFactory, written: list) -> None:
    content = "".join(f"{label}\t{query}\t{text}\n" for label, query, text in written)
    data = read_data(tmp_path_factory.mktemp("ranking"), *ROWS, train=content)
    assert faults(data) == []
    found = {e.texts[0]: list(zip(e.answer, e.candidates, strict=True)) for e in data.splits["train"].examples}  # type: ignore[arg-type]
    expected: dict[str, list[tuple[int, str]]] = {}
    for label, query, text in written:
        expected.setdefault(query, []).append((label, text))
    assert list(found.items()) == list(expected.items())
    assert sum(len(e.candidates) for e in data.splits["train"].examples) == len(written)


def test_queries_by_id(read: Read) -> None:
    columns = "columns: {query: id, text_a: q, question: w, text_b: d, label: l}"
    content = [{"id": 1, "q": "a", "w": "w", "d": "x", "l": True}, {"id": 2, "q": "a", "w": "w", "d": "y", "l": "0"}]
    data = read("kind: ranking", "format: jsonl", columns, train=json_lines(*content))
    assert [(e.texts, e.answer, e.id) for e in data.splits["train"].examples] == [
        (("a", "w"), (1,), "1"),
        (("a", "w"), (0,), "2"),
    ]
    assert notices(data) == ["2: queries without a relevant candidate: 1, the first one here"]
    content.append({"id": 1, "q": "b", "w": "w", "d": "z", "l": 0})
    data = read("kind: ranking", "format: jsonl", columns, train=json_lines(*content))
    assert faults(data) == ["3: the query '1' has another text here than in line 1"]


def test_relevance(read: Read) -> None:
    data = read(*ROWS, train="2\ta\tx\n-1\ta\ty\n1.5\ta\tz\n\ta\tw\n1.0\ta\tv\n")
    expected = "expected a relevance: a whole number from 0, true or false"
    assert faults(data) == [
        f"2: the label is the string '-1'; {expected}",
        f"3: the label is the string '1.5'; {expected}",
        "4: no label; expected a relevance, a whole number from 0",
    ]
    assert data.splits["train"].examples[0].answer == (2, 1)
    data = read(*ROWS, "label_map: {Good: 1, Bad: 0}", train="Good\ta\tx\nBad\ta\ty\n")
    assert data.splits["train"].examples[0].answer == (1, 0)
    data = read(*ROWS, train="1\ta\tx\n", test="\ta\tx\n1\ta\ty\n\tb\tz\n")
    assert faults(data) == [
        "1: 1 of the 2 candidates of the query that begins here have no label, though others have one",
    ]


def test_grades(read: Read) -> None:
    data = read(*ROWS, "loss: graded", "grades: 3", train="2\ta\tx\n3\ta\ty\n")
    assert faults(data) == ["2: the label is the string '3'; expected a grade from 0 to 2"]


def test_choices_in_columns(read: Read) -> None:
    content = json_lines(*({"p": "a", "c1": "x", "c2": "y", "l": place} for place in (0, "1")))
    data = read(*CHOICES, train=content)
    assert [(e.texts, e.candidates, e.answer) for e in data.splits["train"].examples] == [
        (("a",), ("x", "y"), (1, 0)),
        (("a",), ("x", "y"), (0, 1)),
    ]
    data = read(*CHOICES, train=json_lines({"p": "a", "c1": "x", "c2": "y", "l": 2}))
    assert faults(data) == ["1: the label is the number 2; expected the place of the right choice, 0 to 1"]
    data = read(*CHOICES, train=json_lines(*({"p": "a", "c1": "x", "c2": str(i), "l": 0} for i in range(20))))
    assert notices(data)[0].startswith("1: queries whose right choice is number 0, as of all here (placeholders?): 20")
    data = read(*CHOICES, test=json_lines({"p": "a", "c1": "x", "c2": "y"}))
    assert (faults(data), data.splits["test"].examples[0].answer) == ([], None)


def test_choices_in_a_list(read: Read) -> None:
    lines = ("kind: ranking", "format: jsonl")
    objects = {"q": "a", "d": [{"t": "x", "r": "3"}, {"t": "y", "r": 0}, {"t": "z", "r": 1}]}
    columns = "columns: {text_a: q, choices: d, candidate_text: t, candidate_label: r}"
    data = read(*lines, columns, train=json_lines(objects))
    example = data.splits["train"].examples[0]
    assert (example.candidates, example.answer) == (("x", "y", "z"), (3, 0, 1))
    data = read(*lines, columns.replace(": t,", ": txt,"), train=json_lines(objects))
    assert faults(data)[0].startswith("1: a choice has no key 'txt'; expected one of: t, r")
    data = read(
        *lines, "columns: {text_a: q, choices: d, label: l}", train=json_lines({"q": "a", "d": ["x", "y", "z"], "l": 2})
    )
    assert data.splits["train"].examples[0].answer == (0, 0, 1)
    for choices, message in (
        ([], "1: the choices in column 'd' are a list of 0; expected a list with one or more"),
        ("x", "1: the choices in column 'd' are the string 'x'; expected a list with one or more"),
        ([3], "1: a choice is the number 3; expected a string"),
        ([{"t": "x"}], "1: a choice is an object with 't'; say which is the text with the column candidate_text"),
    ):
        data = read(
            *lines, "columns: {text_a: q, choices: d, label: l}", train=json_lines({"q": "a", "d": choices, "l": 0})
        )
        assert faults(data) == [message]
    table = ("kind: ranking", "format: tsv", "columns: {text_a: q, choices: d, label: l}")
    data = read(*table, train='q\td\tl\na\t["x", "y"]\t1\n')
    assert data.splits["train"].examples[0].candidates == ("x", "y")


def test_choices_without_text_are_no_candidates(read: Read, shared: Path) -> None:
    spec = read_corpora_file(shared / "cases/35-empty-choice/corpora.yaml")
    data = CorpusReader(spec).read(spec.corpora["mc-en"])
    assert faults(data) == []
    examples = data.splits["train"].examples
    assert [e.answer for e in examples] == [(1, 0, 0), (0, 1, 0, 0), (1, 0), (0, 0, 0, 1)]
    assert [len(e.candidates) for e in examples] == [3, 4, 2, 4]
    assert notices(data) == ["2: choices without text, which are no candidates: 3, the first one here"]
    columns = "columns: {text_a: q, choices: [a, b, c], label: y}"
    table = "q\ta\tb\tc\ty\nQ\t\tx\ty\t2\nQ\t \tx\ty\t0\nQ\t\t\t\t0\n"
    data = read("kind: ranking", "format: tsv", columns, train=table)
    assert [(e.candidates, e.answer) for e in data.splits["train"].examples] == [(("x", "y"), (0, 1))]
    assert faults(data) == [
        "3: the label is the string '0', but that choice is without text",
        "4: all choices are without text; expected one or more",
    ]
    inside = {"q": "a", "d": [{"t": "x", "r": 1}, {"t": "", "r": 0}, {"t": "z", "r": 0}]}
    columns = "columns: {text_a: q, choices: d, candidate_text: t, candidate_label: r}"
    data = read("kind: ranking", "format: jsonl", columns, train=json_lines(inside))
    assert [(e.candidates, e.answer) for e in data.splits["train"].examples] == [(("x", "z"), (1, 0))]


def test_choices_that_are_named_or_numbered_from_one(read: Read, shared: Path) -> None:
    def case(name: str) -> CorpusData:
        spec = read_corpora_file(shared / "cases/21-arc" / name)
        return CorpusReader(spec).read(spec.corpora["arc-en"])

    first, *_ = faults(case("plain.yaml"))
    assert "expected the place of the right choice, 0 to 2 (label_map: {A: 0, …} gives places to names)" in first
    data = case("mapped.yaml")
    assert (faults(data), notices(data)) == ([], [])
    assert [e.answer for e in data.splits["train"].examples][2:] == [(0, 1, 0, 0, 0), (0, 1, 0, 0)]
    (notice,) = notices(case("numbers.yaml"))
    assert "queries whose label, read as a place from 0, is the name of another choice" in notice
    # texts that are numbers are no names, and objects that are numbered from 1 may have labels from 0
    lines = ("kind: ranking", "format: jsonl", "columns: {text_a: q, choices: d, candidate_text: t, label: l}")
    choices = [{"t": str(n + 1), "id": n + 1} for n in range(3)]
    assert notices(read(*lines, train=json_lines(*({"q": str(n), "d": choices, "l": n} for n in range(3))))) == []
    # by chance no choice 0 is right in 5 queries of 2 once in 32, in 4 queries once in 16
    columns = ("kind: ranking", "format: jsonl", "columns: {text_a: q, choices: [a, b, c, d], label: l}")
    many = [{"q": str(n), "a": "x", "b": "y", "c": "z", "d": "v", "l": 1 + n % 3} for n in range(11)]
    assert "(are the numbers from 1?): 11, the first one here" in notices(read(*columns, train=json_lines(*many)))[0]
    assert notices(read(*columns, train=json_lines(*many[:10]))) == []
    assert notices(read(*columns, train=json_lines({**many[0], "l": 0}, *many[1:]))) == []


def test_queries_of_one_candidate(read: Read) -> None:
    data = read(*ROWS, train="".join(f"1\tq{n // 2}\tx{n}\n" for n in range(4)))
    assert notices(data) == []
    data = read(*ROWS, train="".join(f"1\tq{max(n, 1)}\tx{n}\n" for n in range(11)))
    (notice,) = notices(data)
    assert notice.startswith("3: queries of one candidate, where there is nothing to rank")
    assert notice.endswith(": 9, the first one here (of 10)")
