"""What stands in place of an answer is none: such a split has no answers, and no score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec.corpora_file import read_corpora_file

HEAD = (
    "languages: [en]\nskills: {generic: on}\ncorpora:\n  c:\n    language: en\n    skills: [generic]\n    format: tsv\n"
)
CLASSES = HEAD + "    kind: classification\n    columns: {text_a: t, label: l}\n"
SCORES = HEAD + "    kind: regression\n    columns: {text_a: t, score: l}\n"
TAGS = HEAD + "    kind: labelling\n    metric: accuracy\n    columns: {token: t, tag: l}\n"
QUERIES = HEAD + "    kind: ranking\n    columns: {text_a: q, text_b: t, label: l}\n"
Read = Callable[..., CorpusData]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """read(yaml, train=[answers], …): a row an answer."""

    def run(yaml: str, **splits: list[str]) -> CorpusData:
        for name, answers in splits.items():
            rows = "".join(f"q{i // 2}\ta{i} b\t{answer}\n" for i, answer in enumerate(answers))
            (tmp_path / f"{name}.tsv").write_text(f"q\tt\tl\n{rows}")
            yaml += f"    {name}: {name}.tsv\n"
        (tmp_path / "c.yaml").write_text(yaml)
        file = read_corpora_file(tmp_path / "c.yaml")
        return CorpusReader(file).read(file.corpora["c"])

    return run


def answers(data: CorpusData, split: str) -> set[object]:
    return {example.answer for example in data.splits[split].examples}


@pytest.mark.parametrize(
    ("yaml", "train", "test"),
    [
        (CLASSES, ["0", "1"], ["-1", "-1"]),
        (CLASSES, ["yes", "no"], ["_", "_", "_"]),
        (SCORES, ["0", "2.5"], ["-1.0", "-1"]),
        (SCORES + "    score_range: [0, 4]\n", ["0", "2.5"], ["-1", "-1"]),
        (TAGS, ["A B", "B A"], ["_ _", "_ _"]),
        (QUERIES, ["0", "1"], ["-1", "-1"]),
    ],
)
def test_a_test_split_of_well_known_ones_has_no_answers(
    read: Read, yaml: str, train: list[str], test: list[str]
) -> None:
    data = read(yaml, train=train, valid=train, test=test)
    assert data.faults == []
    assert answers(data, "test") == {None} and None not in answers(data, "valid")
    assert sum(len(e.candidates) or 1 for e in data.splits["test"].examples) == len(test)
    messages = [notice.message for notice in data.splits["test"].notices]
    assert any("no answer but stand where one" in text or "says that they are not known" in text for text in messages)


def test_what_can_be_an_answer_is_one(read: Read) -> None:
    assert answers(read(CLASSES, train=["-1", "1"], test=["-1", "-1"]), "test") == {"-1"}
    assert answers(read(SCORES + "    score_range: [-1, 1]\n", train=["-1", "1"], test=["-1"]), "test") == {-1.0}
    assert answers(read(SCORES, train=["-1", "1"], test=["-1", "0.5"]), "test") == {-1.0, 0.5}
    assert answers(read(TAGS, train=["_ A", "A A"], test=["_ A", "_ _"]), "test") == {("_", "A"), ("_", "_")}


@pytest.mark.parametrize(
    ("yaml", "train", "held_back"),
    [
        (CLASSES + "    placeholders: [none, -1]\n", ["0", "1"], ["none", "-1"]),
        (SCORES + "    placeholders: 99\n", ["0", "2.5"], ["99.0", "99"]),
        (TAGS + "    placeholders: [X]\n", ["A B", "B A"], ["X X", "X X"]),
        (QUERIES + "    placeholders: 7\n", ["0", "1"], ["7", "7"]),
    ],
)
def test_named_ones(read: Read, yaml: str, train: list[str], held_back: list[str]) -> None:
    data = read(yaml, train=train, valid=held_back, test=held_back)
    assert data.faults == []
    assert answers(data, "test") == answers(data, "valid") == {None}
    assert data.splits["test"].notices == []
    data = read(yaml, train=[*train, *held_back], valid=train)
    assert data.faults and all("train.tsv" in fault.file for fault in data.faults)  # to train on, answers are needed


def test_some_of_a_split_are_faults(read: Read) -> None:
    data = read(CLASSES, train=["0", "1"], test=["0", "-1"])
    assert [(fault.line, fault.message) for fault in data.faults] == [
        (3, "no label, though other rows of the split have one; expected one of: 0, 1")
    ]
    (fault,) = read(CLASSES, train=["0", "1"], valid=["0", "-1"]).faults
    assert fault.message.endswith("; placeholders: [-1] says that it is no answer")


@pytest.mark.parametrize("case", ["25-ud-blind/corpora", "33-placeholder-test/cls", "33-placeholder-test/reg"])
def test_cases(case: str, shared: Path) -> None:
    file = read_corpora_file(shared / "cases" / f"{case}.yaml")
    (corpus,) = file.corpora.values()
    data = CorpusReader(file).read(corpus)
    assert data.faults == [] and answers(data, "test") == {None} and None not in answers(data, "valid")
