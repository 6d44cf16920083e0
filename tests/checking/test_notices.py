"""Labels that look like one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.checking.notices import near_pairs, near_spelling

LABELS = st.lists(st.text("abAB_-1 ", max_size=6), max_size=8, unique=True)


@pytest.mark.parametrize(
    ("a", "b", "near"),
    [
        ("contradictory", "contradiction", True),
        ("Not-Entailment", "not_entailment", True),
        ("B-PER", "B-Pers", True),
        ("B-PER", "I-PER", False),
        ("entailment", "not_entailment", False),
        ("news_story", "news_stock", False),
        ("label_1", "label_2", False),
        ("100", "101", False),
        ("positive", "negative", False),
        ("-", "_", False),
        ("", "a", False),
    ],
)
def test_near_spellings(a: str, b: str, near: bool) -> None:
    assert near_spelling(a, b) is near
    assert near_spelling(b, a) is near
    assert near_pairs([a, b]) == ([(a, b)] if near else [])
    assert near_pairs([a], [b]) == ([(a, b)] if near else [])


@given(LABELS, LABELS)
def test_pairs_are_those_that_are_near_one_another(one: list[str], two: list[str]) -> None:
    every = [(a, b) for i, a in enumerate(one) for b in one[i + 1 :] if near_spelling(a, b)]
    assert sorted(near_pairs(one)) == sorted(every)
    assert sorted(near_pairs(one, two)) == sorted((a, b) for a in one for b in two if near_spelling(a, b))


def test_thousands_of_labels_take_no_time() -> None:
    labels = [f"{a}{b}{c}" for a in "abcdefghijklm" for b in "nopqrstuvw" for c in "abcdefghijklmnopqrst"]
    start = time.perf_counter()
    assert near_pairs(labels) == []
    assert time.perf_counter() - start < 5
