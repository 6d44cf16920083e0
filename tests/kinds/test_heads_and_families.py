"""Which head a corpus of each kind has, and what its outputs stand for."""

from __future__ import annotations

from typing import Any

import pytest

from skill_plugin.errors import InputError
from skill_plugin.kinds.registry import kind_named
from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.heads.head_spec import HeadSpec
from skill_plugin.nn.heads.linear import LinearHead
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.heads.next_sentence import NextSentenceHead
from skill_plugin.objectives.categorical import Categorical
from skill_plugin.objectives.family import Family
from skill_plugin.objectives.independent_labels import IndependentLabels
from skill_plugin.objectives.listwise import Listwise
from skill_plugin.objectives.pointwise import Pointwise
from skill_plugin.objectives.score import Score
from skill_plugin.objectives.start_and_end import StartAndEnd
from tests.every_kind import make_corpus

CASES: dict[str, tuple[HeadSpec, Family]] = {
    "one": (HeadSpec(ClassificationHead, 3), Categorical()),
    "topics": (HeadSpec(ClassificationHead, 3), IndependentLabels()),
    "score": (HeadSpec(ClassificationHead, 1), Score()),
    "choice": (HeadSpec(ClassificationHead, 2), Pointwise()),
    "search": (HeadSpec(ClassificationHead, 1), Listwise()),
    "grade": (HeadSpec(ClassificationHead, 5), Pointwise(graded=True)),
    "tags": (HeadSpec(LinearHead, 3), Categorical(many_units=True, has_unknown=True)),
    "span": (HeadSpec(LinearHead, 2), StartAndEnd()),
    "wic": (HeadSpec(ClassificationHead, 3, tokens=3), Categorical()),
    "mlm": (HeadSpec(MaskedLmHead, 99), Categorical(many_units=True)),
    "nsp": (HeadSpec(NextSentenceHead, 2), Categorical()),
}
FACTS: dict[str, dict[str, Any]] = {"grade": {"grades": 5}, "score": {"score_range": [0, 5]}}


@pytest.mark.parametrize("name", CASES)
def test_head_and_family(name: str) -> None:
    corpus, facts = make_corpus(name), FACTS.get(name, {})
    kind = kind_named(corpus.kind)
    labels = () if corpus.kind in ("masked_lm", "next_sentence") else ("a", "b", "c")
    assert (kind.head(corpus, labels, facts, 99), kind.family(corpus, facts)) == CASES[name]


def test_raw_scores_lie_in_the_range_of_the_data() -> None:
    kind, corpus = kind_named("regression"), make_corpus("score", score_scale="raw")
    assert kind.family(corpus, FACTS["score"]) == Score(0, 5)
    assert kind.family(corpus, {}) == Score(-1, 1)


def test_grades_must_be_known() -> None:
    corpus = make_corpus("grade")
    with pytest.raises(InputError, match=r"corpora\.yaml:4: corpus 'grade' needs 'grades'"):
        kind_named("ranking").head(corpus, (), {}, 99)


def test_what_heads_have() -> None:
    """A dense map, which ``--head linear`` leaves out, and a last one of their own, which ``--r4f`` holds."""
    dense = {name for name, (head, _) in CASES.items() if head.has_dense_map}
    assert dense == set(CASES) - {"tags", "span", "mlm"}
    assert {name for name, (head, _) in CASES.items() if not head.has_last_map} == {"mlm"}
