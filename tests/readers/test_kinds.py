"""Rows of every kind from tables and JSON: what an example holds, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.data.raw_inputs import make_example
from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import read_corpora_file
from tests.readers.conftest import Read, faults, notices, read_data


def rows(*values: Any) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


# multilabel

MULTILABEL = ("kind: multilabel", "format: jsonl", "columns: {text_a: t, label: l}")


def test_multilabel(read: Read) -> None:
    content = rows({"t": "a", "l": ["x", "y", "x"]}, {"t": "b", "l": []}, {"t": "c", "l": "y, z,"}, {"t": "d", "l": 3})
    data = read(*MULTILABEL, train=content, valid=rows({"t": "a", "l": "z"}))
    assert [e.answer for e in data.splits["train"].examples] == [("x", "y"), (), ("y", "z"), ("3",)]
    assert data.labels == ("3", "x", "y", "z")
    assert faults(data) == []
    assert notices(data)[0].startswith("1: rows that name a label twice, which counts once: 1")
    data = read(*MULTILABEL, "label_map: {x: y}", "drop_labels: [z]", train=content)
    assert [e.answer for e in data.splits["train"].examples] == [("y",), (), ("3",)]
    assert data.splits["train"].skipped == {"dropped label 'z'": 1}


def test_multilabel_faults(read: Read) -> None:
    data = read(*MULTILABEL, train=rows({"t": "a", "l": ["x"]}, {"t": "b", "l": None}, {"t": "c", "l": [1.5]}))
    assert faults(data) == [
        "2: no label; expected a label",
        "3: a label is the number 1.5; expected a string or a whole number or a list of them",
    ]
    data = read(*MULTILABEL, "labels: [xx, yy]", train=rows({"t": "a", "l": ["xx", "yx"]}))
    assert faults(data)[0].startswith("1: unknown label 'yx'; expected one of: xx, yy")


def test_multilabel_in_tables(read: Read) -> None:
    table = (
        "kind: multilabel",
        "format: tsv",
        "header: false",
        "columns: {text_a: 0, label: 1}",
        "label_separator: ' '",
    )
    data = read(*table, train="a\tx y\nb\nc\t\n")
    assert faults(data) == ["2: 1 cell; expected 2, as 2 of 3 rows have"]
    data = read(*table, "missing_cells: empty", train='a\tx y\nb\nc\t\nd\t["x y"]\n')
    assert [e.answer for e in data.splits["train"].examples] == [("x", "y"), (), (), ("x y",)]
    assert notices(data) == [
        "2: rows with 1 cells, where 2 were expected; missing ones are empty (missing_cells: empty): 1"
    ]
    data = read(*table, train="a\tx\n", test="a\nb\n")
    assert [e.answer for e in data.splits["test"].examples] == [None, None]


# regression

REGRESSION = ("kind: regression", "format: jsonl", "columns: {text_a: t, text_b: u, score: s}")


@pytest.mark.parametrize(
    ("score", "expected"), [(3, 3.0), (2.5, 2.5), ("4.250", 4.25), (" 5 ", 5.0), ("-1e-2", -0.01), (".5", 0.5)]
)
def test_scores(read: Read, score: Any, expected: float) -> None:
    data = read(*REGRESSION, valid=rows({"t": "a", "u": "b", "s": score}))
    assert (faults(data), data.splits["valid"].examples[0].answer) == ([], expected)


@pytest.mark.parametrize("score", ["nan", "inf", "1_0", "3,5", "x", True, [1], "1e999", 10**400, "٣"])
def test_what_is_no_score(read: Read, score: Any) -> None:
    data = read(*REGRESSION, valid=rows({"t": "a", "u": "b", "s": score}))
    assert faults(data)[0].startswith("1: the score is ")
    assert faults(data)[0].endswith("; expected a finite number, as 3.5")


def test_ranges_and_missing_scores(read: Read) -> None:
    content = rows({"t": "a", "u": "b", "s": 5}, {"t": "a", "u": "b", "s": 5.1}, {"t": "a", "u": "b", "s": None})
    data = read(*REGRESSION, "score_range: [0, 5]", train=content)
    assert faults(data) == [
        "2: the score 5.1 is outside score_range; expected 0 to 5",
        "3: no score; expected a number",
    ]
    data = read(*REGRESSION, "drop_labels: ['-']", train=rows(*({"t": "a", "u": "b", "s": s} for s in ("-", 1, 2))))
    assert (faults(data), data.splits["train"].skipped) == ([], {"dropped label '-'": 1})
    data = read(*REGRESSION, train=rows({"t": "a", "u": "b", "s": 1}))
    assert faults(data) == ["3: corpus 'c' has the one score 1.0 in train; expected two or more"]


# ranking

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
    data = read("kind: ranking", "format: jsonl", columns, train=rows(*content))
    assert [(e.texts, e.answer, e.id) for e in data.splits["train"].examples] == [
        (("a", "w"), (1,), "1"),
        (("a", "w"), (0,), "2"),
    ]
    assert notices(data) == ["2: queries without a relevant candidate: 1, the first one here"]
    content.append({"id": 1, "q": "b", "w": "w", "d": "z", "l": 0})
    data = read("kind: ranking", "format: jsonl", columns, train=rows(*content))
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
    content = rows(*({"p": "a", "c1": "x", "c2": "y", "l": place} for place in (0, "1")))
    data = read(*CHOICES, train=content)
    assert [(e.texts, e.candidates, e.answer) for e in data.splits["train"].examples] == [
        (("a",), ("x", "y"), (1, 0)),
        (("a",), ("x", "y"), (0, 1)),
    ]
    data = read(*CHOICES, train=rows({"p": "a", "c1": "x", "c2": "y", "l": 2}))
    assert faults(data) == ["1: the label is the number 2; expected the place of the right choice, 0 to 1"]
    data = read(*CHOICES, train=rows(*({"p": "a", "c1": "x", "c2": str(i), "l": 0} for i in range(20))))
    assert notices(data)[0].startswith("1: queries whose right choice is number 0, as of all here (placeholders?): 20")
    data = read(*CHOICES, test=rows({"p": "a", "c1": "x", "c2": "y"}))
    assert (faults(data), data.splits["test"].examples[0].answer) == ([], None)


def test_choices_in_a_list(read: Read) -> None:
    lines = ("kind: ranking", "format: jsonl")
    objects = {"q": "a", "d": [{"t": "x", "r": "3"}, {"t": "y", "r": 0}, {"t": "z", "r": 1}]}
    columns = "columns: {text_a: q, choices: d, candidate_text: t, candidate_label: r}"
    data = read(*lines, columns, train=rows(objects))
    example = data.splits["train"].examples[0]
    assert (example.candidates, example.answer) == (("x", "y", "z"), (3, 0, 1))
    data = read(*lines, columns.replace(": t,", ": txt,"), train=rows(objects))
    assert faults(data)[0].startswith("1: a choice has no key 'txt'; expected one of: t, r")
    data = read(
        *lines, "columns: {text_a: q, choices: d, label: l}", train=rows({"q": "a", "d": ["x", "y", "z"], "l": 2})
    )
    assert data.splits["train"].examples[0].answer == (0, 0, 1)
    for choices, message in (
        ([], "1: the choices in column 'd' are a list of 0; expected a list with one or more"),
        ("x", "1: the choices in column 'd' are the string 'x'; expected a list with one or more"),
        ([3], "1: a choice is the number 3; expected a string"),
        ([{"t": "x"}], "1: a choice is an object with 't'; say which is the text with the column candidate_text"),
    ):
        data = read(*lines, "columns: {text_a: q, choices: d, label: l}", train=rows({"q": "a", "d": choices, "l": 0}))
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
    data = read("kind: ranking", "format: jsonl", columns, train=rows(inside))
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
    assert notices(read(*lines, train=rows(*({"q": str(n), "d": choices, "l": n} for n in range(3))))) == []
    # by chance no choice 0 is right in 5 queries of 2 once in 32, in 4 queries once in 16
    columns = ("kind: ranking", "format: jsonl", "columns: {text_a: q, choices: [a, b, c, d], label: l}")
    many = [{"q": str(n), "a": "x", "b": "y", "c": "z", "d": "v", "l": 1 + n % 3} for n in range(11)]
    assert "(are the numbers from 1?): 11, the first one here" in notices(read(*columns, train=rows(*many)))[0]
    assert notices(read(*columns, train=rows(*many[:10]))) == []
    assert notices(read(*columns, train=rows({**many[0], "l": 0}, *many[1:]))) == []


def test_queries_of_one_candidate(read: Read) -> None:
    data = read(*ROWS, train="".join(f"1\tq{n // 2}\tx{n}\n" for n in range(4)))
    assert notices(data) == []
    data = read(*ROWS, train="".join(f"1\tq{max(n, 1)}\tx{n}\n" for n in range(11)))
    (notice,) = notices(data)
    assert notice.startswith("3: queries of one candidate, where there is nothing to rank")
    assert notice.endswith(": 9, the first one here (of 10)")


# each

NESTED = {"id": 7, "p": {"text": "P", "qs": [{"q": "A", "as": [{"text": "x", "l": 1}]}, {"q": "B", "as": []}]}}


def test_each(read: Read) -> None:
    lines = ("kind: ranking", "format: jsonl", "each: p.qs")
    columns = "columns: {text_a: p.text, question: q, choices: as, candidate_text: text, candidate_label: l, query: id}"
    data = read(*lines, columns, train=rows(NESTED))
    assert [(e.texts, e.candidates, e.id) for e in data.splits["train"].examples] == [(("P", "A"), ("x",), "7")]
    assert faults(data) == ["1: the choices in column 'as' are a list of 0; expected a list with one or more"]
    lines = ("kind: ranking", "format: jsonl", "each: p.qs.as", "columns: {text_a: q, text_b: text, label: l}")
    data = read(*lines, train=rows(NESTED, {"p": {"qs": [{"q": "C", "as": [{"text": "y", "l": 0}]}]}}))
    assert [(e.texts, e.candidates) for e in data.splits["train"].examples] == [(("A",), ("x",)), (("C",), ("y",))]
    data = read(*lines, train=rows({"p": {}}, {"p": {"qs": 3}}, {"q": 1}, {"p": {"qs": [3]}}, 5))
    assert [fault.split("; did")[0] for fault in faults(data)] == [
        "1: the row has no 'qs' for each: p.qs.as",
        "2: the row has no 'as' for each: p.qs.as",
        "3: the row has no 'p' for each: p.qs.as; expected one of: q",
        "4: the row has no 'as' for each: p.qs.as",
        "5: the row has no 'p' for each: p.qs.as",
    ]
    data = read("kind: masked_lm", "format: jsonl", "each: ps", "columns: {text: t}", train=rows({"ps": {"t": "a"}}))
    assert faults(data) == ["1: the row has an object at 'ps'; expected a list (each: ps)"]
    lines = ("kind: masked_lm", "format: json", "rows: data", "each: ps", "columns: {text: t}")
    data = read(*lines, train='{"data": [{"ps": [{"t": "a"}, {"t": "b"}]},\n{"ps": [{"t": "c"}, {"u": 1}]}]}')
    assert [(e.texts, e.line) for e in data.splits["train"].examples] == [(("a",), 1), (("b",), 1), (("c",), 2)]
    assert faults(data)[0].startswith(
        "2: the element of 'ps' in this row '1' has no column 't': the keys are ['u', 'ps']"
    )


# labelling in tables and with entities


def test_labelling_in_tables_and_json(read: Read, tmp_path: Path) -> None:
    table = ("kind: labelling", "format: tsv", "columns: {token: a, tag: b}")
    data = read(*table, train="a\tb\nx  y \tO B-x\nz\tO O\n")
    assert [(e.texts, e.answer) for e in data.splits["train"].examples] == [(("x y",), ("O", "B-x"))]
    assert faults(data) == ["3: 1 words but 2 tags; expected one tag a word"]
    data = read(*table, "word_separator: '|'", language="zh", train="a\tb\n我|爱\tO|B-x\nx||y\tO|O|O\n")
    assert data.splits["train"].examples[0].texts == ("我爱",)
    assert faults(data) == ["3: the word 1 (from 0) is empty"]
    lists = ("kind: labelling", "format: jsonl", "columns: {token: a, tag: b}")
    data = read(*lists, train=rows({"a": ["x y", "z"], "b": [0, 3]}, {"a": [], "b": []}, {"a": "x z", "b": "O B-x"}))
    assert [(e.texts, e.answer, e.words) for e in data.splits["train"].examples] == [
        (("x y z",), ("0", "3"), ((0, 3), (4, 5))),
        (("x z",), ("O", "B-x"), ((0, 1), (2, 3))),
    ]
    assert faults(data) == ["2: no words; expected one or more"]
    data = read(*lists, train=rows({"a": ["x", 3], "b": ["O", "O"]}, {"a": ["x"], "b": [None]}, {"a": 1, "b": []}))
    assert faults(data)[:3] == [
        "1: a word is the number 3; expected a string",
        "2: the tag of word 0 (from 0) is null; expected a string or a whole number",
        "3: the words in column 'a' are the number 1; expected a list or a string",
    ]
    (tmp_path / "words").write_text("x y\nz\n")
    (tmp_path / "tags").write_text("O B-x\nO O\n")
    data = read("kind: labelling", "format: lines", "train: {token: words, tag: tags}")
    assert [(e.texts, e.answer) for e in data.splits["train"].examples] == [(("x y",), ("O", "B-x"))]
    assert [str(fault) for fault in data.faults] == [f"{tmp_path}/tags:2: 1 words but 2 tags; expected one tag a word"]


ENTITIES = ("kind: labelling", "format: jsonl", "columns: {text: text, entities: label}")


def entities(text: str, *spans: tuple[str, int, int]) -> dict[str, Any]:
    label: dict[str, dict[str, list[list[int]]]] = {}
    for name, start, end in spans:
        label.setdefault(name, {}).setdefault(text[start:end], []).append([start, end - 1])
    return {"text": text, "label": label}


def test_entities_have_inclusive_ends(read: Read) -> None:
    lines = (*ENTITIES, "join: none")  # each character is a word
    data = read(*lines, train=rows(entities("浙商 银行的叶老桂", ("company", 0, 5), ("name", 6, 9))))
    example = data.splits["train"].examples[0]
    assert [example.texts[0][a:b] for a, b in example.words] == list("浙商银行的叶老桂")
    assert example.answer == ("B-company", *["I-company"] * 3, "O", "B-name", "I-name", "I-name")
    data = read(*lines, train=rows(entities("abcdef", ("x", 0, 2), ("y", 1, 4), ("x", 4, 6))))
    assert data.splits["train"].examples[0].answer == ("O", "B-y", "I-y", "I-y", "B-x", "I-x")
    assert notices(data) == ["1: entities left out because they overlap a longer one: 1, the first one here ('ab')"]
    data = read(*lines, train=rows({"text": "abc", "label": {"x": {"ad": [[0, 1]]}}}))
    assert notices(data) == [
        "1: entities whose text is nowhere, taken at their offsets: 1, the first one here ('ad' is 'ab' there)"
    ]
    data = read(*ENTITIES, test=rows({"text": "abc"}))
    assert data.splits["test"].examples[0].answer is None


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ({"x": {"d": [[0, 3]]}}, "1: the entity 'd' is at [the number 0, the number 3]; expected first and last"),
        ({"x": {"d": [[2, 1]]}}, "1: the entity 'd' is at [the number 2, the number 1]; expected first and last"),
        ({"x": {"a": [0]}}, "1: a span of the entity 'a' is the number 0; expected [first, last]"),
        ({"x": [0, 1]}, "1: the entities of type 'x' are a list of 2; expected {type: {text: [[first, last]]}}"),
        (3, "1: the entities are the number 3; expected {type: {text: [[first, last]]}}, or a list of [start, end, "),
        (
            [[0, 4, "x"]],
            "1: the entity 'x' is at [the number 0, the number 4]; expected first character and the one past",
        ),
        (
            [[1, 1, "x"]],
            "1: the entity 'x' is at [the number 1, the number 1]; expected first character and the one past",
        ),
        ([[0, 1]], "1: an entity is [0, 1]; expected [start, end, type] or {start: …, end: …, label: …}"),
        ([{"start": 0, "end": 1}], "1: an entity is {'start': 0, 'end': 1}; expected [start, end, type] or {start"),
        ([[0, 1, ""]], "1: the type of an entity is empty; expected a string or a whole number"),
    ],
)
def test_entities_that_are_broken(read: Read, label: Any, message: str) -> None:
    assert faults(read(*ENTITIES, train=rows({"text": "abc", "label": label})))[0].startswith(message)


def tagged(data: CorpusData, split: str = "train") -> list[tuple[list[str], tuple[str, ...]]]:
    return [([e.texts[0][a:b] for a, b in e.words], e.answer) for e in data.splits[split].examples]  # type: ignore[misc]


def test_entities_of_annotation_tools(read: Read) -> None:
    """Ends are exclusive; the words of a text are those that predict finds in it."""
    text = "Anna Beck (32) lives in Kiel."
    words = ["Anna", "Beck", "(", "32", ")", "lives", "in", "Kiel", "."]
    tags = ("B-PER", "I-PER", *["O"] * 5, "B-LOC", "O")
    spacy = [{"start": 24, "end": 28, "label": "LOC", "token_start": 7}, {"start": 0, "end": 9, "label": "PER"}]
    doccano = [{"id": 1, "start_offset": 0, "end_offset": 9, "label": "PER"}, [24, 28, "LOC"]]
    for label in ([[0, 9, "PER"], [24, 28, "LOC"]], spacy, doccano):
        data = read(*ENTITIES, train=rows({"text": text, "label": label}, {"text": "It rained.", "label": []}))
        assert (faults(data), notices(data)) == ([], [])
        assert tagged(data) == [(words, tags), (["It", "rained", "."], ("O", "O", "O"))]
        assert words == [text[a:b] for a, b in make_example(data.corpus, text).words]
    moved = [{"start": 1, "end": 10, "label": "PER", "text": "Anna Beck"}, [24, 27, "LOC"], [9, 10, "X"]]
    data = read(*ENTITIES, train=rows({"text": text, "label": moved}))
    assert tagged(data) == [(words, tags)]
    assert notices(data) == [
        "1: entities that are not at their offsets, found by their text: 1, the first one here ('Anna Beck')",
        "1: entities of white space alone, left out: 1, the first one here",
        "1: entities that begin or end within a word, which is tagged as a whole: 1, the first one here ('Kie')",
    ]


ROWS_OF_TOKENS = ("kind: labelling", "format: csv", "columns: {token: w, tag: t, sentence: s}")


def test_a_row_a_token(read: Read) -> None:
    train = "s,w,t\n1,New York,B-x\n,is,O\n2,big,O\n2,.,O\n1,so,O\n"
    data = read(*ROWS_OF_TOKENS, train=train)
    assert (faults(data), notices(data)) == ([], [])
    assert tagged(data) == [(["New York", "is"], ("B-x", "O")), (["big", "."], ("O", "O")), (["so"], ("O",))]
    assert [example.line for example in data.splits["train"].examples] == [2, 4, 6]
    data = read(*ROWS_OF_TOKENS, train=train, test="s,w\n1,a\n1,b\n")
    assert tagged(data, "test") == [(["a", "b"], None)]
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
    assert tagged(data) == [(["a1", "a2"], ("O", "B-x")), (["b1", "b2"], ("O", "B-x"))]
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
    assert tagged(data) == [(["I", "am", "2"], ("O", "B-x", "O"))] * 4
    assert (faults(data), notices(data)) == ([], [])
    data = read(*PATTERN, "pattern: (.*)[0-9]", train=train + "you x 1\tO O O\n1\tO\n")
    assert faults(data) == [
        "6: the token 'you' does not match the pattern '(.*)[0-9]'",
        "7: the token '1' does not match the pattern '(.*)[0-9]'",
    ]
    assert notices(read(*PATTERN, train="w\tt\n" + "1 2 3 4 5 6\tO B-x O O O O\n" * 2)) == []  # numbers alone


# words in context

WIC = "columns: {text_a: s, text_b: t, start_a: a, end_a: b, start_b: c, end_b: d, word_a: w, word_b: w, label: l}"
WSC = ("offsets: words", "columns: {text_a: s, start_a: a, start_b: b, word_a: v, word_b: w, label: l}")


def test_words_in_two_texts(read: Read) -> None:
    lines = ("kind: word_in_context", "format: jsonl", WIC)
    row = {"s": "You feel it.", "t": "She felt it.", "a": 4, "b": 8, "c": 4, "d": 8, "w": "feel", "l": True}
    data = read(*lines, "labels: ['false', 'true']", valid=rows(row))
    example = data.splits["valid"].examples[0]
    assert (example.spans, example.answer) == (((0, 4, 8), (1, 4, 8)), "true")
    expected = "words that are not the text at their offsets: 1, the first one here ('feel' is 'felt' there)"
    assert notices(data, "valid") == [f"1: {expected}"]
    for change in ({"b": 99}, {"a": 8}, {"a": -1}):
        data = read(*lines, "labels: ['false', 'true']", valid=rows({**row, **change}))
        assert "(exclusive); expected offsets in characters between 0 and 12" in faults(data)[0]
    data = read(*lines, "labels: ['false', 'true']", valid=rows({**row, "a": "x"}))
    assert faults(data)[0] == "1: the offset in column 'a' is the string 'x'; expected a whole number from 0"


def test_words_by_number(read: Read) -> None:
    lines = ("kind: word_in_context", "format: jsonl", "labels: ['false', 'true']", *WSC)
    text = "The  demonstrators hit it, they said."
    row = {"s": text, "a": 0, "b": 3, "v": "the demonstrators", "w": "it", "l": "true"}
    data = read(*lines, valid=rows(row))
    spans = data.splits["valid"].examples[0].spans
    assert [text[a:b] for _, a, b in spans] == ["The  demonstrators", "it"]
    assert [index for index, _, _ in spans] == [0, 0]
    assert len(notices(data, "valid")) == 1  # two spaces are not one
    data = read(*lines, valid=rows({**row, "b": 6}))
    assert faults(data)[0].startswith(
        "1: the word b is at 6 to 7 (exclusive); expected offsets in words between 0 and 6"
    )


# raw text


def test_raw_text(read: Read) -> None:
    data = read(
        "kind: masked_lm", "format: jsonl", "columns: {text: t}", train=rows({"t": " a "}, {"t": " "}, {"t": "b"})
    )
    assert [e.texts for e in data.splits["train"].examples] == [(" a ",), ("b",)]
    assert (data.labels, data.splits["train"].skipped, faults(data)) == (None, {"empty text": 1}, [])


def test_documents(read: Read) -> None:
    lines = ("kind: next_sentence", "format: jsonl")
    data = read(
        *lines, "columns: {text: t}", train=rows({"t": "It is. It was!\nNo"}, {"t": "他走了。我没有。"}, {"t": ""})
    )
    found = [e.texts for e in data.splits["train"].examples]
    assert found == [("It is.", "It was!", "No"), ("他走了。", "我没有。")]
    assert data.splits["train"].skipped == {"empty text": 1}
    content = rows({"s": "a", "d": 1}, {"s": "b", "d": 1}, {"s": " ", "d": 1}, {"s": "c", "d": 2}, {"s": "d", "d": 1})
    data = read(*lines, "columns: {sentence: s, document: d}", train=content)
    assert [e.texts for e in data.splits["train"].examples] == [("a", "b"), ("c",), ("d",)]
    assert [e.line for e in data.splits["train"].examples] == [1, 4, 5]
    data = read(*lines, "columns: {text: t}", train=rows({"t": "One."}, {"t": "Two."}))
    assert faults(data) == ["1: no document has two sentences, of which pairs are made"]
    table = ("kind: next_sentence", "format: tsv", "header: false", "columns: {sentence: 0}")
    data = read(*table, train="a\nb\n\n\nc\n")
    assert [e.texts for e in data.splits["train"].examples] == [("a", "b"), ("c",)]
    assert data.splits["train"].skipped == {"blank row between documents": 2}
