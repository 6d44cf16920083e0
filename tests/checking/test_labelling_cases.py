"""Labelling files as people really have them (``../shared/cases``), and what is right of each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.checking.report import CheckReport
from skill_plugin.metrics.make_metric import make_metric
from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import CorporaFile, parse_corpora_file
from skill_plugin.store.facts import corpus_facts


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
    facts = corpus_facts(corpus, data.splits, labels)
    made = make_metric("labelling", metric, labels=labels, scheme=facts["scheme"], lenient=corpus.lenient)
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
