"""What a score is held against, against every rule that a test can try."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.kinds.labelling.metric import Labelling
from skill_plugin.kinds.masked_lm.metric import MaskedLm
from skill_plugin.kinds.multilabel.metric import Multilabel
from skill_plugin.kinds.ranking.metric import Ranked, Ranking
from skill_plugin.kinds.regression.metric import Regression
from skill_plugin.kinds.span.metric import Span
from skill_plugin.metrics.classification import Classification
from skill_plugin.metrics.constant_rule import score_constant_rule
from skill_plugin.metrics.metric import Metric

FEW = settings(max_examples=40, deadline=None)


def score(metric: Metric[Any, Any], answers: Sequence[Any], references: Sequence[Any]) -> float:
    state = np.zeros(metric.size)
    metric.count(state, answers, references, range(len(references)))
    return metric.value(state)


@FEW
@given(st.lists(st.integers(0, 3), min_size=1, max_size=20), st.sampled_from(Classification.names))
def test_no_class_for_all_is_better(references: list[int], name: str) -> None:
    metric = Classification(name, 4, positive=2)
    best = max(score(metric, [answer] * len(references), references) for answer in range(4))
    assert score_constant_rule(metric, references) == pytest.approx(best)
    if name == "accuracy":
        assert best == max(map(references.count, references)) / len(references)  # the majority
    if name == "mcc":
        assert best == 0


@FEW
@given(
    st.lists(st.lists(st.integers(0, 3), unique=True, max_size=4), min_size=1, max_size=12),
    st.sampled_from(Multilabel.names),
)
def test_no_set_of_labels_for_all_is_better(references: list[list[int]], name: str) -> None:
    metric = Multilabel(name, "abcd")
    sets = [chosen for size in range(5) for chosen in combinations(range(4), size)]
    best = max(score(metric, [chosen] * len(references), references) for chosen in sets)
    assert score_constant_rule(metric, references) == pytest.approx(best)


def test_tags() -> None:
    gold = [["O", "O", "B-PER", "I-PER"], ["O", "B-LOC", "O", "O"]]
    tags = ["O", "B-PER", "I-PER", "B-LOC"]
    assert score_constant_rule(Labelling("accuracy", tags), gold) == 5 / 8  # O everywhere
    assert score_constant_rule(Labelling("f1", tags), gold) == 2 * 1 / (8 + 2)  # B-LOC everywhere
    words = [["S", "B", "E", "S"], ["S", "S"]]  # segmentation: each character a word
    assert score_constant_rule(Labelling("f1", ["B", "E", "S"], "bmes"), words) == pytest.approx(2 * 4 / (6 + 5))
    assert score_constant_rule(Labelling("f1", ["O", "B-PER"]), [["O", "O"]]) == 0
    assert score_constant_rule(Labelling("accuracy", ["N", "V"], "raw"), [["N", "V", "N"]]) == 2 / 3


@FEW
@given(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=1, max_size=12))
def test_no_place_that_is_always_chosen_is_better(references: list[list[int]]) -> None:
    metric = Ranking("top1")
    rules = [[Ranked(np.eye(3)[place], [True] * 3)] * len(references) for place in range(3)]
    best = max(score(metric, rule, references) for rule in rules)
    assert score_constant_rule(metric, references) == pytest.approx(best)


def test_ranking_of_lists() -> None:
    references = [[0, 1, 0], [1, 0], [0, 0, 0, 1]]
    without = [sum(1 / rank for rank in range(1, count + 1)) / count for count in (3, 2, 4)]
    assert score_constant_rule(Ranking("mrr"), references) == pytest.approx(sum(without) / 3)  # in no order
    given = (1 + 1 / 2) / 2
    assert score_constant_rule(Ranking("mrr"), [[1, 0, 0], [0, 1]]) == pytest.approx(given)
    assert score_constant_rule(Ranking("f1"), references) == pytest.approx(2 * 3 / (9 + 3))  # all are said to be right


def test_spans_are_held_against_a_first_sentence_the_whole_context_and_no_answer() -> None:
    texts = [("who?", "Ann left. Bo came."), ("when?", "今天。明天。")]
    assert score_constant_rule(Span("exact_match", "zh"), [["Ann left."], ["今天。"]], texts) == 1
    assert score_constant_rule(Span("exact_match", "en"), [["Bo"], []], texts) == 0.5
    assert score_constant_rule(Span("f1", "en"), [["Ann left. Bo came."]], texts[:1]) == 1


def test_correlations_and_what_has_no_rule() -> None:
    assert score_constant_rule(Regression("pearson", 3), [1.0, 2.0, 5.0]) == 0
    assert score_constant_rule(MaskedLm("perplexity"), [3, 2]) is None
    assert score_constant_rule(Classification("accuracy", 2), []) is None
