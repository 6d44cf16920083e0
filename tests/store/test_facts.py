"""What a trained model must know of its corpora's data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example import Example
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.readers.split_data import SplitData
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import CORPORA, make_reading


@pytest.fixture(scope="module")
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model)


def split_of(*answers: Any) -> SplitData:
    return SplitData(ExampleRows(Example(("q", "c"), answer, "", 1) for answer in answers))


def corpus_facts(corpus: Corpus, splits: dict[str, SplitData], labels: tuple[str, ...] | None) -> dict[str, Any]:
    return kind_named(corpus.kind).storage.facts(corpus, splits, labels)


def facts(
    encoder: TextEncoder, name: str, labels: tuple[str, ...] | None = None, **splits: SplitData
) -> dict[str, Any]:
    return corpus_facts(make_reading(name, encoder).corpus, splits, labels)


def test_the_range_of_scores(encoder: TextEncoder) -> None:
    train, valid = split_of(1.5, 4.0, None), split_of(0.0, 9.0)
    assert facts(encoder, "score", train=train, valid=valid) == {"score_range": [1.5, 4.0]}
    assert facts(encoder, "score", valid=valid, test=split_of(-1.0)) == {"score_range": [-1.0, 9.0]}
    assert facts(encoder, "score", test=split_of(None)) == {}
    named = make_reading("score", encoder, score_range=(0.0, 5.0)).corpus
    assert corpus_facts(named, {"train": train}, None) == {"score_range": [0.0, 5.0]}


def test_whether_questions_have_no_answer(encoder: TextEncoder) -> None:
    answered = split_of(((0, "c"),))
    assert facts(encoder, "span", train=answered, valid=split_of(())) == {"no_answer": False}
    assert facts(encoder, "span", train=split_of(((0, "c"),), ())) == {"no_answer": True}
    assert facts(encoder, "span", test=split_of(None)) == {"no_answer": False}


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        (("O", "B-PER", "I-PER"), "bio"),
        (("O", "I-PER", "I-LOC"), "bio"),
        (("B", "I", "O"), "bio"),
        (("B-X",), "bio"),
        (("O", "S-PER", "B-PER", "E-PER"), "bmes"),
        (("O", "B-PER", "M-PER", "E-PER"), "bmes"),
        (("B", "E", "S", "M"), "bmes"),
        (("NOUN", "VERB", "O"), "raw"),
        (("O", "B-X", "L-X", "U-X"), "bilou"),
        (("O",), "raw"),
    ],
)
def test_the_scheme_of_tags(encoder: TextEncoder, tags: tuple[str, ...], scheme: str) -> None:
    assert facts(encoder, "tags", tags, train=split_of()) == {"scheme": scheme}
    named = make_reading("tags", encoder, scheme="raw").corpus
    assert corpus_facts(named, {"train": split_of()}, tags) == {"scheme": "raw"}


def test_other_kinds_have_none(encoder: TextEncoder) -> None:
    for name in set(CORPORA) - {"score", "grade", "span", "tags", "signs"}:
        assert facts(encoder, name, train=split_of("a")) == {}


def test_how_many_grades_there_are(encoder: TextEncoder) -> None:
    train, valid = split_of((0, 2, 1), (0,)), split_of((0, 3), None)
    found = make_reading("grade", encoder, grades=None).corpus
    assert corpus_facts(found, {"train": train, "valid": valid}, None) == {"grades": 4}
    assert corpus_facts(found, {"test": split_of(None, (0, 0))}, None) == {"grades": 2}
    assert facts(encoder, "grade", train=train, valid=split_of((0,))) == {"grades": 3}
