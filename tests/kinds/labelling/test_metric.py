"""Entities and their F1 are seqeval's, in strict mode and in its default mode, on malformed tags too."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval import metrics as reference
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import BILOU, IOB2, IOBES, Tokens

from skill_plugin.kinds.labelling.entities import find_entities
from skill_plugin.kinds.labelling.metric import Labelling
from skill_plugin.metrics.metric import MetricState

TYPES = ("PER", "creative-work", "group")
TAGS = {scheme: ["O", *(f"{p}-{kind}" for p in prefixes for kind in TYPES)] for scheme, prefixes in
        (("bio", "BI"), ("bmes", "BMES"), ("bioes", "BIES"), ("bilou", "BILU"))}  # fmt: skip
SCHEMES = {"bio": IOB2, "bmes": IOBES, "bioes": IOBES, "bilou": BILOU}
Sentences = list[list[tuple[str, str]]]


def pairs(scheme: str) -> st.SearchStrategy[Sentences]:
    tag = st.sampled_from(TAGS[scheme])
    # half of the answers are right, so that entities match; malformed sequences are the rule
    word = st.one_of(st.tuples(tag, tag), tag.map(lambda one: (one, one)))
    return st.lists(st.lists(word, min_size=1, max_size=9), min_size=1, max_size=5)


def for_seqeval(rows: list[list[str]], scheme: str, lenient: bool) -> list[list[str]]:
    """seqeval calls the inside of an entity I- in every scheme, and its default mode knows no L- and U-."""
    letters = {"bmes": {"M": "I"}, "bilou": {"L": "E", "U": "S"} if lenient else {}}.get(scheme, {})
    return [[letters.get(tag[0], tag[0]) + tag[1:] for tag in row] for row in rows]


def counted(metric: Labelling, answers: list[list[str]], references: list[list[str]]) -> MetricState:
    state = np.zeros(metric.size)
    metric.count(state, answers, references, range(len(answers)))
    return state


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("lenient", [False, True])
def test_values_are_seqevals(scheme: str, lenient: bool) -> None:
    @settings(max_examples=150, deadline=None)
    @given(pairs(scheme))
    def check(sentences: Sentences) -> None:
        answers, references = ([[pair[side] for pair in sentence] for sentence in sentences] for side in (0, 1))
        given_, true = (for_seqeval(rows, scheme, lenient) for rows in (answers, references))
        mode = {} if lenient else {"mode": "strict", "scheme": SCHEMES[scheme]}
        for rows, theirs in ((answers, given_), (references, true)):
            for row, their in zip(rows, theirs, strict=True):
                if lenient:
                    expected = get_entities(their)
                else:
                    found = Tokens(their, SCHEMES[scheme]).entities
                    expected = [(e.tag, e.start, e.end - 1) for e in found]
                assert find_entities(row, scheme, lenient) == expected

        metric = Labelling("f1", TAGS[scheme], scheme, lenient)
        state = counted(metric, answers, references)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert metric.value(state) == pytest.approx(reference.f1_score(true, given_, zero_division=0, **mode))
            details = metric.details(state)
            for name in ("precision", "recall"):
                expected = getattr(reference, f"{name}_score")(true, given_, zero_division=0, **mode)
                assert details[name] == pytest.approx(expected)
            if any(find_entities(row, scheme, lenient) for row in answers + references):
                report = reference.classification_report(true, given_, output_dict=True, zero_division=0, **mode)
                for kind in TYPES:
                    assert details[f"f1_{kind}"] == pytest.approx(report.get(kind, {}).get("f1-score", 0))
        assert details["accuracy"] == pytest.approx(reference.accuracy_score(references, answers))
        assert metric.scored(state) == len(sentences)

    check()


def test_examples() -> None:
    gold = [["B-PER", "I-PER", "O"]]
    stray = [["I-PER", "I-PER", "O"]]
    for lenient, expected in ((False, 0), (True, 1)):
        metric = Labelling("f1", ["O", "B-PER", "I-PER"], "bio", lenient)
        assert metric.value(counted(metric, stray, gold)) == expected
    bare = Labelling("f1", ["B", "M", "E", "S"], "bmes")  # word segmentation
    assert bare.value(counted(bare, [["B", "E", "S"]], [["B", "M", "E"]])) == 0
    assert bare.value(counted(bare, [["B", "E", "S"]], [["B", "E", "S"]])) == 1
    raw = Labelling("accuracy", ["NOUN", "VERB"], "raw")
    assert raw.value(counted(raw, [["NOUN", "X"]], [["NOUN", "VERB"]])) == 0.5
    state = counted(raw, [["B"]], [["B"]])
    assert raw.details(state) == {"accuracy": 1} and raw.scored(state) == 1


@pytest.mark.parametrize(
    ("scheme", "sentence"),
    [
        ("bio", "O I I O I"),
        ("bio", "O I-X I-X O I-Y"),
        ("bio", "O B I O B"),
        ("bmes", "S S B E B M E"),
        ("bmes", "O M E"),
        ("bioes", "B I E O S"),
        ("bilou", "B I L O U"),
    ],
)
def test_a_perfect_tagger_scores_1(scheme: str, sentence: str) -> None:
    """Also where no tag says where an entity begins."""
    tags = sentence.split()
    metric = Labelling("f1", sorted({*tags}), scheme)
    assert metric.value(counted(metric, [tags], [tags])) == 1
    wrong = ["O"] * len(tags)
    assert metric.value(counted(metric, [wrong], [tags])) == 0


def test_gold_entities_of_an_unknown_type_are_missed() -> None:
    metric = Labelling("f1", ["O", "B-PER", "I-PER"], "bio")
    state = counted(metric, [["B-PER", "O"]], [["B-PER", "B-LOC"]])
    assert metric.value(state) == pytest.approx(2 / 3)


def test_what_cannot_be_counted() -> None:
    with pytest.raises(ValueError, match="raw tags"):
        Labelling("f1", ["NOUN"], "raw")
    with pytest.raises(ValueError, match="'M-PER' is no tag of the scheme bio"):
        Labelling("f1", ["O", "M-PER"], "bio")
    with pytest.raises(ValueError, match="unknown scheme 'biose'"):
        Labelling("f1", ["O"], "biose")
    with pytest.raises(ValueError, match="zip"):
        counted(Labelling("f1", ["O"], "bio"), [["O"]], [["O", "O"]])
