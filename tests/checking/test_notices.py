"""Repeated rows, rows of train in valid, and labels that look like one."""

from __future__ import annotations

import pytest

from skill_plugin.checking.notices import near_spelling, overlapping, repeated
from skill_plugin.checking.report import Lengths
from skill_plugin.readers import Example


def row(text: str, label: str, line: int = 1) -> Example:
    return Example((text,), label, "f", line)


def test_repeated_rows_and_rows_with_two_labels() -> None:
    rows = [row("a", "x", 1), row("a", "x", 2), row("a", "y", 3), row("b", "x", 4), row("a", "y", 5)]
    same, conflicting = repeated(rows)
    assert [example.line for example in same] == [2, 5]
    assert [example.line for example in conflicting] == [3]


def test_overlap_is_of_texts() -> None:
    assert overlapping([row("a", "y"), row("c", "x")], [row("a", "x"), row("b", "x")]) == [row("a", "y")]


@pytest.mark.parametrize(
    ("a", "b", "near"),
    [
        ("contradictory", "contradiction", True),
        ("Not-Entailment", "not_entailment", True),
        ("entailment", "not_entailment", False),
        ("news_story", "news_stock", False),
        ("label_1", "label_2", False),
        ("100", "101", False),
        ("positive", "negative", False),
        ("-", "_", False),
    ],
)
def test_near_spellings(a: str, b: str, near: bool) -> None:
    assert near_spelling(a, b) is near
    assert near_spelling(b, a) is near


def test_lengths() -> None:
    assert Lengths.of([]) is None
    assert Lengths.of(range(1, 101)) == Lengths(50.5, 50, 95, 100)
    assert Lengths.of([7]) == Lengths(7.0, 7, 7, 7)
