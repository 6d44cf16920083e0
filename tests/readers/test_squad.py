"""squad and its dialects: offsets, answers that are elsewhere or nowhere, versions, articles."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.one_corpus import Read, faults, notices, read_data

SQUAD = ("kind: span", "format: squad")


def squad(*answers: Any, context: str = "one two three two", version: Any = "1.1", **question: Any) -> str:
    qas = [{"id": "q1", "question": "how many ?", "answers": list(answers), **question}]
    paragraphs = [{"context": context, "qas": qas}]
    return json.dumps({"version": version, "data": [{"title": "t", "paragraphs": paragraphs}]})


def answer(text: str, start: int) -> dict[str, Any]:
    return {"text": text, "answer_start": start}


def read_answer(read: Read, content: str) -> Any:
    data = read(*SQUAD, train=content)
    assert faults(data) == []
    return data.splits["train"].examples[0].answer


@pytest.mark.parametrize("version", ["1.1", "v2.0", 1.0, 2, None])
def test_squad_with_any_version(read: Read, version: Any) -> None:
    data = read(*SQUAD, train=squad(answer("two", 4), answer("two", 14), answer("two", 4), version=version))
    example = data.splits["train"].examples[0]
    assert (example.texts, example.id) == (("how many ?", "one two three two"), "q1")
    assert example.answer == ((4, "two"), (14, "two"))
    assert (faults(data), notices(data)) == ([], [])


def test_questions_without_an_answer(read: Read) -> None:
    assert read_answer(read, squad(is_impossible=True)) == ()
    assert read_answer(read, squad(answer("two", 4), is_impossible=True)) == ()
    assert read_answer(read, squad(answer("two", 4), is_impossible=False)) == ((4, "two"),)
    no_key = squad().replace(', "answers": []', "")
    assert faults(read(*SQUAD, train=no_key)) == ["1: no answers; expected a text or a list of texts"]
    data = read(*SQUAD, train=squad(answer("two", 4)), test=no_key)
    assert data.splits["test"].examples[0].answer is None


def test_offsets_are_repaired_to_the_nearest_place(read: Read) -> None:
    data = read(*SQUAD, train=squad(answer("two", 11), answer("one", 99), answer("three", -1)))
    assert data.splits["train"].examples[0].answer == ((14, "two"), (0, "one"), (8, "three"))
    expected = "answers that were not at their offset, but elsewhere in the context (the nearest place is taken): 3"
    assert notices(data) == [f"1: {expected}, the first one here ('two' of question q1)"]


def test_outer_space_is_no_part_of_an_answer(read: Read) -> None:
    data = read(*SQUAD, train=squad(answer(" two ", 3)))
    assert data.splits["train"].examples[0].answer == ((4, "two"),)
    assert notices(data) == [
        "1: answers with outer space, which is left out: 1, the first one here ('two' of question q1)"
    ]


def test_answers_that_are_nowhere(read: Read) -> None:
    content = squad(answer("four", 4))
    data = read(*SQUAD, train=content, valid=content)
    assert data.splits["train"].skipped == {"answer not in its context": 1}
    assert data.splits["valid"].examples[0].answer == ((-1, "four"),)
    assert [f.message for f in data.faults] == ["no row is left: 1 answer not in its context"]
    some = squad(answer("four", 4), answer("two", 4))
    data = read(*SQUAD, train=some, valid=some)
    assert data.splits["train"].examples[0].answer == ((4, "two"),)
    assert data.splits["valid"].examples[0].answer == ((-1, "four"), (4, "two"))
    assert notices(data) == ["1: answers not in their context: 1, the first one here ('four' of question q1)"]


def test_answers_without_text(read: Read) -> None:
    data = read(*SQUAD, train=squad(answer("", 0), answer("two", 4)))
    assert data.splits["train"].examples[0].answer == ((4, "two"),)
    assert notices(data) == ["1: answers without text, which are left out: 1, the first one here (question q1)"]


def test_articles(read: Read) -> None:
    articles = [json.loads(squad(answer("one", 0), id=str(i)))["data"][0] for i in range(4)]
    content = json.dumps({"data": articles}, indent=1)
    for chosen, ids in (("1:3", "12"), (":2", "01"), ("3:", "3"), (":", "0123"), ("2:9", "23")):
        data = read(*SQUAD, f"valid: {{path: train, articles: '{chosen}'}}", train=content)
        assert "".join(e.id for e in data.splits["valid"].examples) == ids
    assert notices(data, "valid") == ["1: articles: '2:9', but the file has 4"]
    lines = content.split("\n")
    for example in data.splits["train"].examples:
        assert lines[example.line - 1].strip() == "{"
        assert lines[example.line].strip() == f'"id": "{example.id}",'


def test_cmrcs_own_form(read: Read) -> None:
    context = {"context_id": "T", "context_text": "一二三二", "title": "t"}
    qas = [{"query_id": "T_0", "query_text": "二？", "answers": ["二", "三", "二"]}]
    data = read(*SQUAD, language="zh", train=json.dumps([{**context, "qas": qas}], ensure_ascii=False))
    example = data.splits["train"].examples[0]
    assert (example.texts, example.answer, example.id) == (("二？", "一二三二"), ((1, "二"), (2, "三")), "T_0")


def test_mrqa_has_inclusive_ends(read: Read) -> None:
    detected = [{"text": "two", "char_spans": [[4, 6], [14, 16]], "token_spans": [[1, 1], [3, 3]]}]
    qas = [{"qid": "q", "question": "how ?", "answers": ["Two"], "detected_answers": detected}]
    line = json.dumps({"context": "one two three two", "qas": qas, "context_tokens": [["one", 0]]})
    header = json.dumps({"header": {"dataset": "x", "split": "train"}})
    for content in (line, f"{header}\n{line}\n", f"{line}\n{line.replace('two', 'TWO')}"):
        data = read(*SQUAD, train=content)
        assert faults(data) == []
        assert data.splits["train"].examples[0].answer == ((4, "two"), (14, "two"))
        assert data.splits["train"].examples[0].id == "q"
    assert len(data.splits["train"].examples) == 2
    data = read(*SQUAD, suffix=".jsonl.gz", train=gzip.compress(f"{header}\n{line}\n".encode()))
    assert data.splits["train"].examples[0].answer == ((4, "two"), (14, "two"))
    data = read(*SQUAD, train=f"{line}\n{{x}}\n\n{line}\n")
    assert [fault[:12] for fault in faults(data)] == ["2: not JSON:", "3: a blank l"]
    assert len(data.splits["train"].examples) == 2


def test_what_is_broken_is_told_with_its_line(read: Read) -> None:
    content = json.dumps(json.loads(squad(answer("one", 0))), indent=1)
    trailing = content.replace('"answer_start": 0', '"answer_start": 0,')
    line = trailing[: trailing.index("0,\n")].count("\n") + 2
    line -= sys.version_info >= (3, 13)  # where the comma is, rather than what follows it
    assert faults(read(*SQUAD, train=trailing))[0].startswith(f"{line}: not JSON: ")
    assert faults(read(*SQUAD, train=content + "\n{}"))[0].startswith(
        f"{content.count(chr(10)) + 2}: text after the end"
    )
    message = "1: no key 'data', where the articles should be; did you mean 'dta'?"
    assert faults(read(*SQUAD, train='{"dta": []}'))[0] == message
    assert (
        "a question is the number 3; expected an object"
        in faults(read(*SQUAD, train='{"data": [{"paragraphs": [{"context": "a", "qas": [3]}]}]}'))[0]
    )
    assert "a paragraph without 'context'" in faults(read(*SQUAD, train='{"data": [{"paragraphs": [{"qas": []}]}]}'))[0]
    wrong = squad({"text": "two", "answer_start": "x"})
    assert faults(read(*SQUAD, train=wrong))[0].startswith(
        "1: the offset of the answer 'two' is the string 'x'; expected"
    )
    assert faults(read(*SQUAD, train=squad({"text": 3, "answer_start": 1})))[0] == (
        "1: an answer is the number 3; expected a string"
    )
    assert "nested too deeply" in faults(read(*SQUAD, train='{"data":[' * 2000))[0]


def test_where_by_title(read: Read) -> None:
    two = json.loads(squad(answer("one", 0)))["data"] * 2
    two[1] = {**two[1], "title": "u"}
    data = read(*SQUAD, "where: {title: u}", train=json.dumps({"data": two}))
    assert (len(data.splits["train"].examples), data.splits["train"].skipped) == (1, {"where title": 1})


TABULAR = ("kind: span", "format: jsonl", "columns: {question: q, context: c, answers: a, answer_start: s, id: i}")


@pytest.mark.parametrize(
    ("answers", "starts", "expected"),
    [
        ("two", 14, ((14, "two"),)),
        ("two", None, ((4, "two"),)),
        (["two", "one"], [14, 0], ((14, "two"), (0, "one"))),
        ({"text": ["two"], "answer_start": [14]}, None, ((14, "two"),)),
        ({"text": "two", "answer_start": 14}, None, ((14, "two"),)),
        ([{"text": "two", "start": 14, "end": 16}], None, ((14, "two"),)),
        ({"text": [], "answer_start": []}, None, ()),
        ([], None, ()),
        ("", None, ()),
        ("[1]", None, ((-1, "[1]"),)),
    ],
)
def test_answers_in_rows(read: Read, answers: Any, starts: Any, expected: Any) -> None:
    row = {"q": "how", "c": "one two three two", "a": answers, "s": starts, "i": 7}
    data = read(*TABULAR, valid=json.dumps(row))
    assert (faults(data), data.splits["valid"].examples[0].answer) == ([], expected)
    assert data.splits["valid"].examples[0].id == "7"


def test_offsets_and_answers_must_be_as_many(read: Read) -> None:
    row = {"q": "how", "c": "one two", "a": ["two", "one"], "s": [4], "i": ""}
    assert faults(read(*TABULAR, valid=json.dumps(row))) == ["1: 2 answers but 1 offset; expected one offset an answer"]


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30), st.data())
def test_every_answer_is_the_text_at_its_offset(
    tmp_path_factory: pytest.TempPathFactory, context: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(context) - 1))
    end = data.draw(st.integers(start + 1, len(context)))
    shift = data.draw(st.integers(-3, 3))
    text = context[start:end]
    read = read_data(
        tmp_path_factory.mktemp("squad"), *SQUAD, train=squad(answer(text, start + shift), context=context)
    )
    if text.strip():
        ((found, stripped),) = read.splits["train"].examples[0].answer  # type: ignore[misc]
        assert stripped == text.strip()
        assert context[found : found + len(stripped)] == stripped
        if shift == 0:
            assert found == start + len(text) - len(text.lstrip())


def test_real_files(shared: Path, read: Read) -> None:
    raw = shared / "data/raw"
    data = read(*SQUAD, f"train: {raw}/cmrc2018/cmrc2018_trial.json", f"valid: {raw}/cmrc2018/cmrc2018_dev.json")
    train, valid = data.splits["train"].examples, data.splits["valid"].examples
    assert (len(train), len(valid), faults(data)) == (432, 213, [])
    assert notices(data, "valid")[0].startswith("478: answers not in their context: 28, the first one here ('2010年")
    assert sum(start == -1 for e in valid for start, _ in e.answer) == 21  # type: ignore[union-attr, misc]  # each once
    for example in train:
        for start, text in example.answer:  # type: ignore[union-attr, misc]
            assert example.texts[1].startswith(text, start)
    data = read(*SQUAD, f"train: {raw}/mrqa-newsqa-sample/NewsQA_sample.jsonl", f"valid: {raw}/drcd/dev.json")
    assert [len(split.examples) for split in data.splits.values()] == [17, 132]
    assert faults(data) == []


@pytest.mark.parametrize("lines", [False, True])
def test_keys_that_stand_twice(read: Read, lines: bool) -> None:
    content = squad(answer("two", 4), is_impossible=False, context="one two")
    if lines:
        content = json.dumps(json.loads(content)["data"][0]["paragraphs"][0])
    expected = {
        "question": "the text in column 'question' is",
        "context": "the text in column 'context' is",
        "id": "the id is",
        "is_impossible": "is_impossible is",
        "answers": "an answer is",
        "text": "an answer is",
        "answer_start": "the offset of the answer 'two' is",
        "qas": "the qas of a paragraph are",
        **({} if lines else {"paragraphs": "the paragraphs are", "data": "the articles are"}),
    }
    for key, begins in expected.items():
        found = faults(read(*SQUAD, train=content.replace(f'"{key}": ', f'"{key}": null, "{key}": ')))
        assert [fault.split("; ")[0] for fault in found] == [
            f"1: {begins} written more than once, with different values"
        ]
