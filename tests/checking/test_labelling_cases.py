"""Labelling files as people really have them (``../shared/cases``), and what is right of each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.checking.report import CheckReport
from skill_plugin.kinds.labelling.keys import LabellingKeys
from skill_plugin.kinds.labelling.metric import Labelling
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import CorporaFile, parse_corpora_file


def read_case(shared: Path, name: str, *more: str, replaced: tuple[str, str] = ("", "")) -> CorpusData:
    """The one corpus of a case, with further lines in its section."""
    spec = parsed(shared, name, *more, replaced=replaced)
    return CorpusReader(spec).read(next(iter(spec.corpora.values())))


def check_case(shared: Path, name: str, *more: str, replaced: tuple[str, str] = ("", "")) -> CheckReport:
    return check_corpora(parsed(shared, name, *more, replaced=replaced))


def parsed(shared: Path, name: str, *more: str, replaced: tuple[str, str]) -> CorporaFile:
    path = shared / "cases" / name
    text = path.read_text(encoding="utf-8").rstrip("\n") + "\n" + "".join(f"    {line}\n" for line in more)
    return parse_corpora_file(text.replace(*replaced), path)


def perfect(data: CorpusData, metric: str = "f1") -> float:
    """The score of a tagger that gives every tag of valid, by the scheme that prepare writes down."""
    corpus, labels = data.corpus, data.labels or ()
    facts = kind_named(corpus.kind).storage.facts(corpus, data.splits, labels)
    made = Labelling(metric, labels, facts["scheme"], LabellingKeys.of(corpus).lenient)
    state = np.zeros(made.size)
    tags = [list(example.answer) for example in data.splits["valid"].examples]  # type: ignore[arg-type]
    made.count(state, tags, tags, range(len(tags)))
    return made.value(state)


@pytest.mark.parametrize("name", ["none", "bio", "lenient"])
def test_bare_io(shared: Path, name: str) -> None:
    data = read_case(shared, f"05-bare-io/{name}.yaml")
    assert (data.faults, data.labels, perfect(data)) == ([], ("O", "I"), 1)
    said = [f"{notice.line}: {notice.message}" for notice in data.splits["valid"].notices]
    words = "words tagged I- at which an entity begins, since no tag is a B- (read as with lenient: true)"
    assert said == ([] if name == "lenient" else [f"2: {words}: 2, the first one here"])


@pytest.mark.parametrize(
    ("name", "entities"), [("none", {"_": 2}), ("bio", {"_": 2}), ("bmes", {"_": 4}), ("bmes-auto", {"_": 4})]
)
def test_bare_bio_and_bmes(shared: Path, name: str, entities: dict[str, int]) -> None:
    report = check_case(shared, f"06-bare-bio/{name}.yaml")
    assert report.faults == []
    (splits,) = report.corpora.values()
    assert splits["valid"].contents.entities == entities  # type: ignore[union-attr]
    assert perfect(read_case(shared, f"06-bare-bio/{name}.yaml")) == 1


@pytest.mark.parametrize(
    ("name", "more"),
    [("bioes", ()), ("bioes", ("scheme: bioes",)), ("bilou", ()), ("bilou", ("scheme: bilou",)), ("mapped", ())],
)
def test_bioes_and_bilou(shared: Path, name: str, more: tuple[str, ...]) -> None:
    report = check_case(shared, f"08-bioes/{name}.yaml", *more)
    assert report.faults == []
    assert report.corpora["skills-en"]["train"].contents.entities == {"LOC": 2, "PER": 1}  # type: ignore[union-attr]
    assert perfect(read_case(shared, f"08-bioes/{name}.yaml", *more)) == 1


def test_a_tag_of_another_scheme_is_told(shared: Path) -> None:
    report = check_case(shared, "08-bioes/bilou.yaml", "scheme: bioes")
    assert report.faults[0].message == (
        "the tag 'L-PER' is not of the scheme bioes; expected O, B-TYPE, I-TYPE, E-TYPE, S-TYPE"
    )


def test_hashtags(shared: Path) -> None:
    data = read_case(shared, "07-hashtags/corpora.yaml")
    train = data.splits["train"]
    assert ([e.texts[0] for e in train.examples], train.skipped.total()) == (
        ["#winning", "#Berlin is cold", "#tbt #Bonn", "@max says # 1"],
        0,
    )


def test_a_space_in_place_of_a_tab(shared: Path) -> None:
    faults = read_case(shared, "24-conllu-space/corpora.yaml").faults
    assert [(fault.line, fault.message.partition(";")[0]) for fault in faults] == [(5, "9 cells"), (9, "9 cells")]


def test_a_blind_test_split_has_no_tags(shared: Path) -> None:
    data = read_case(shared, "25-ud-blind/corpora.yaml")
    assert data.faults == []
    assert [example.answer for example in data.splits["test"].examples] == [None, None]
    assert all(example.answer for example in data.splits["valid"].examples)


def test_files_without_blank_lines(shared: Path) -> None:
    report = check_case(shared, "27-no-blank-lines/corpora.yaml")
    assert "so that its 2,400 words are one sentence" in report.notices[0].fault.message
    report = check_case(shared, "27-no-blank-lines/kaggle.yaml")
    assert any("every row is a sentence of one word" in notice.fault.message for notice in report.notices)
    columns = ("columns: {token: Word, tag: Tag}", "columns: {token: Word, tag: Tag, sentence: 'Sentence #'}")
    data = read_case(shared, "27-no-blank-lines/kaggle.yaml", replaced=columns)
    assert (data.faults, data.splits["train"].notices) == ([], [])
    assert [example.texts[0] for example in data.splits["train"].examples] == [
        "EU rejects German call .",
        "Peter Blackburn",
        "Germany 's man spoke .",
    ]
    assert perfect(data) == 1


def test_document_starts_behind_an_index(shared: Path) -> None:
    data = read_case(shared, "40-docstart-index/corpora.yaml")
    assert [example.texts[0] for example in data.splits["train"].examples] == ["EU rejects", "Bonn sleeps"]


@pytest.mark.parametrize("name", ["train", "spacy"])
def test_spans_of_annotation_tools(shared: Path, name: str) -> None:
    data = read_case(shared, f"20-doccano/{name}.yaml")
    assert (data.faults, data.splits["train"].notices) == ([], [])
    assert [example.answer for example in data.splits["train"].examples] == [
        ("B-PER", "I-PER", "O", "O", "B-LOC", "O"),
        ("O", "O", "O"),
        ("B-LOC", "O", "O"),
    ]


@pytest.mark.parametrize("name", ["train", "exclusive"])
def test_entities_are_found_by_their_text(shared: Path, name: str) -> None:
    data = read_case(shared, f"38-entity-offsets/{name}.yaml")
    assert data.faults == []
    assert data.splits["train"].examples[-1].answer == (*("B-name", "I-name", "O", "O", "B-address", "I-address", "O"),)
    if name == "train":
        first = data.splits["train"].examples[0]
        tagged = [
            first.texts[0][place[0]] for place, tag in zip(first.words, first.answer or (), strict=True) if tag != "O"
        ]  # type: ignore[arg-type]
        assert tagged == list("王小明上海")
