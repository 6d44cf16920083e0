"""What the rows of each kind hold, in numbers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from seqeval.metrics.sequence_labeling import get_entities

from skill_plugin.checking.contents import Contents
from skill_plugin.kinds.labelling.contents import Words
from skill_plugin.kinds.multilabel.contents import LabelSets
from skill_plugin.kinds.ranking.contents import Queries
from skill_plugin.kinds.raw_text import Documents
from skill_plugin.kinds.registry import kind_named
from skill_plugin.kinds.regression.contents import Scores
from skill_plugin.kinds.span.contents import Questions
from skill_plugin.readers import Example
from skill_plugin.spec import Corpus, parse_corpora_file
from skill_plugin.spec.tag_schemes import find_scheme

COLUMNS = {
    "classification": "text_a: a, label: l",
    "multilabel": "text_a: a, label: l",
    "regression": "text_a: a, score: l",
    "ranking": "text_a: a, text_b: b, label: l",
    "labelling": "token: a, tag: l",
    "span": "question: a, context: b, answers: l",
    "masked_lm": "text: a",
    "next_sentence": "text: a",
}


def corpus(kind: str, more: str = "") -> Corpus:
    section = f"{{kind: {kind}, language: en, skills: [s], format: jsonl, columns: {{{COLUMNS[kind]}}}, test: t{more}}}"
    text = f"languages: [en]\nskills: {{s: on}}\ncorpora:\n  c: {section}\n"
    return parse_corpora_file(text, Path("c.yaml")).corpora["c"]


def contents_of(corpus: Corpus, examples: list[Example], labels: tuple[str, ...]) -> Contents | None:
    return kind_named(corpus.kind).findings(corpus).contents(examples, labels)


def rows(*answers: Any, texts: tuple[str, ...] = ("a",), **fields: Any) -> list[Example]:
    return [Example(texts, answer, "f", 1, **fields) for answer in answers]


def test_labels_need_no_more() -> None:
    assert contents_of(corpus("classification", ", labels: [x, y]"), rows("x"), ("x", "y")) is None


def test_sets_of_labels() -> None:
    found = contents_of(corpus("multilabel"), rows(("x", "y"), (), ("x",), None), ("x", "y"))
    assert found == LabelSets(rows=3, without_label=1, mean=1.0, most=2)


def test_scores() -> None:
    assert contents_of(corpus("regression"), rows(1.0, 4.0, None, 2.5), ()) == Scores(3, 1.0, 2.5, 4.0)
    assert contents_of(corpus("regression"), rows(None), ()) is None
    assert contents_of(corpus("regression"), rows(1.5e308, 1.5e308), ()) == Scores(2, 1.5e308, 1.5e308, 1.5e308)


def test_queries() -> None:
    made = [
        Example(("q",), (0, 0), "f", 1, ("a", "b")),
        Example(("r",), (2, 1, 0, 0), "f", 2, ("a", "b", "c", "a")),
        Example(("s",), (1,), "f", 3, ("a",)),
        Example(("t",), None, "f", 4, ("a", "b", "c")),
    ]
    assert contents_of(corpus("ranking"), made, ()) == Queries(
        queries=4,
        candidates=10,
        fewest=1,
        median=2,
        most=4,
        relevance={"0": 4, "1": 2, "2": 1},
        without_relevant=1,
        several_relevant=1,
        twice=1,
    )


def test_questions() -> None:
    made = rows(((0, "a"), (3, "b")), (), ((-1, "nowhere"),), None)
    assert contents_of(corpus("span"), made, ()) == Questions(2, 1, 3, 1)


@pytest.mark.parametrize("lenient", [False, True])
def test_words_and_entities(lenient: bool) -> None:
    tags = [("B-A", "I-A", "O", "I-B"), ("B-A", "B-A", "I-B", "O"), ("O", "O", "O", "O")]
    made = rows(*tags, words=((0, 1), (2, 3), (4, 5), (6, 7)))
    found = contents_of(corpus("labelling", f", lenient: {str(lenient).lower()}"), made, ("O", "B-A", "I-A", "I-B"))
    entities = Counter(kind for sentence in tags for kind, _, _ in get_entities(list(sentence)))
    strict = {"A": 3}
    assert found == Words(3, 12, "bio", dict(entities) if lenient else strict)


def test_tags_that_are_no_entities() -> None:
    made = rows(("NOUN", "VERB"), None, words=((0, 1), (2, 3)))
    assert contents_of(corpus("labelling", ", metric: accuracy"), made, ("NOUN", "VERB")) == Words(2, 4, "raw", {})


def test_texts_and_documents() -> None:
    assert contents_of(corpus("masked_lm"), rows(None, None, texts=("four",)), ()) == Documents(2, 0, 0, 8)
    made = [Example(("a", "bc", "d"), None, "f", 1), Example(("e",), None, "f", 2)]
    assert contents_of(corpus("next_sentence"), made, ()) == Documents(documents=2, sentences=4, pairs=2, characters=5)


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ("O B-X I-X", "bio"),
        ("O B-X M-X E-X S-X", "bmes"),
        ("O B-X I-X E-X S-X", "bioes"),
        ("O B-X I-X L-X U-X", "bilou"),
        ("B M E S", "bmes"),
        ("O I", "bio"),
        ("O L U", "raw"),
        ("O", "raw"),
        ("NOUN VERB", "raw"),
    ],
)
def test_schemes(tags: str, scheme: str) -> None:
    assert find_scheme(tags.split()) == scheme
