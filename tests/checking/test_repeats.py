"""Rows that occur twice, in a split or in train and another, for every kind."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from skill_plugin.checking.repeats import collect_keys, find_overlap, find_repeats
from skill_plugin.checking.row_findings import RowFindings
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers import Example
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.spec import Corpus


def rows(*examples: tuple[Any, ...]) -> ExampleRows:
    """(texts, answer, candidates, words, spans) each; lines count from 1."""
    found = ExampleRows()
    for line, (texts, answer, *more) in enumerate(examples, 1):
        candidates, words, spans = [*more, (), (), ()][:3]
        found.append(Example(tuple(texts), answer, "f", line, tuple(candidates), tuple(words), tuple(spans)))
    return found


def findings(kind: str) -> RowFindings:
    return kind_named(kind).findings(cast("Corpus", None))  # what rows ask does not depend on the corpus


def lines(numbers: NDArray[np.int64]) -> list[int]:
    return [number + 1 for number in numbers.tolist()]


def found(kind: str, *examples: tuple[Any, ...]) -> tuple[list[int], list[int], list[int]]:
    """Lines of the rows that are the same, that conflict, that have other answers."""
    repeats = find_repeats(findings(kind), rows(*examples))
    return lines(repeats.same), lines(repeats.conflicting), lines(repeats.other_answers)


def test_labels() -> None:
    examples = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"), ("a", "y")]
    assert found("classification", *examples) == ([2, 5], [3], [])


def test_texts_are_told_apart_by_their_number_and_order() -> None:
    assert found("classification", (["a", "b"], "x"), (["b", "a"], "y"), (["a"], "y"), (["ab"], "x")) == ([], [], [])


def test_the_order_of_labels_does_not_count() -> None:
    examples = [("a", ("x", "y")), ("a", ("y", "x")), ("a", ("x",)), ("b", ()), ("b", ()), ("b", ("x",))]
    assert found("multilabel", *examples) == ([2, 5], [3, 6], [])


def test_scores() -> None:
    assert found("regression", ("a", 1.0), ("a", 1.0), ("a", 1.5)) == ([2], [3], [])
    scores = [0.0, 1.0, -1.0, -2.0, -0.0, 0.5]
    assert found("regression", *(("a", score) for score in scores)) == ([5], [2, 3, 4, 6], [])


def test_candidates_of_one_query_are_compared_whatever_their_order() -> None:
    examples = [
        ("q", (1, 0), "ab"),
        ("q", (0, 1), "ba"),  # the same
        ("q", (1, 0), "ac"),  # another candidate beside the same one
        ("q", (0, 0), "ad"),  # a was relevant
        ("r", (0, 1), "ab"),  # another query
        ("s", (0, 1), "aa"),  # conflicts with itself
    ]
    assert found("ranking", *examples) == ([2], [4, 6], [])
    assert found("ranking", ("q", None, "ab"), ("q", None, "ba"), ("q", None, "ac")) == ([2], [], [])


def test_several_answers_of_a_question_are_no_conflict_but_none_and_one_are() -> None:
    texts = ("q", "the cat")
    one, two = ((4, "cat"),), ((4, "cat"), (0, "the cat"))
    assert found("span", (texts, two), (texts, one), (texts, tuple(reversed(two)))) == ([3], [], [2])
    assert found("span", (texts, one), (texts, ()), (texts, one)) == ([3], [2], [])


def test_sentences_with_other_tags_or_words() -> None:
    words = ((0, 1), (2, 3))
    examples = [
        (["a b"], ("O", "O"), (), words),
        (["a b"], ("O", "O"), (), words),
        (["a b"], ("O", "B-X"), (), words),
        (["a b"], ("O",), (), ((0, 3),)),
    ]
    assert found("labelling", *examples) == ([2], [3], [])


def test_words_in_one_text_are_different_questions() -> None:
    examples = [(["a a a"], "x", (), (), [(0, 0, 1), (0, 2, 3)]), (["a a a"], "y", (), (), [(0, 0, 1), (0, 4, 5)])]
    assert found("word_in_context", *examples) == ([], [], [])
    assert found("word_in_context", examples[0], (["a a a"], "y", *examples[0][2:])) == ([], [2], [])


def test_texts_and_documents_without_answers() -> None:
    assert found("masked_lm", ("a", None), ("b", None), ("a", None)) == ([3], [], [])
    assert found("next_sentence", ("ab", None), ("abc", None), ("ab", None), (["ab"], None)) == ([3], [], [])


@pytest.mark.parametrize(
    ("kind", "train", "valid", "shared"),
    [
        ("classification", [("a", "x"), ("b", "x")], [("a", "y"), ("c", "x")], [1]),
        ("regression", [(["a", "b"], 1.0)], [(["a", "b"], 2.0), (["b", "a"], 1.0)], [1]),
        ("ranking", [("q", (1, 0), "ab")], [("q", (1, 0), "cb"), ("q", (1, 0), "cd"), ("r", (1, 0), "ab")], [1]),
        ("span", [(["q", "c"], ())], [(["q", "c"], ((0, "c"),)), (["r", "c"], ())], [1]),
        ("labelling", [(["a b"], ("O", "O"), (), ((0, 1), (2, 3)))], [(["a b"], ("O",), (), ((0, 3),))], [1]),
        (
            "word_in_context",
            [(["a a a"], "x", (), (), [(0, 0, 1), (0, 2, 3)])],
            [(["a a a"], "x", (), (), [(0, 0, 1), (0, 4, 5)]), (["a a a"], "y", (), (), [(0, 0, 1), (0, 2, 3)])],
            [2],
        ),
        ("masked_lm", [("a", None)], [("b", None), ("a", None)], [2]),
        ("next_sentence", [("ab", None)], [("ab", None), ("a", None)], [1]),
    ],
)
def test_rows_that_also_occur_in_train(kind: str, train: list[Any], valid: list[Any], shared: list[int]) -> None:
    assert lines(find_overlap(findings(kind), rows(*valid), collect_keys(findings(kind), rows(*train)))) == shared
