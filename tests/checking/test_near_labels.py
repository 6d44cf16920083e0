"""Labels that look like one."""

from __future__ import annotations

import math
import unicodedata
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.checking.near_labels import find_near_pairs

LABELS = st.lists(st.text("abAB_-1 é\u0301\u200b", max_size=6), max_size=8, unique=True)


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
        ("-1", "1", False),
        ("", "a", False),
        (unicodedata.normalize("NFC", "négatif"), unicodedata.normalize("NFD", "négatif"), True),
        ("positif", "positif\u200b", True),
        ("ＡＢＣ", "abc", True),
        ("की", "का", False),
    ],
)
def test_near_spellings(a: str, b: str, near: bool) -> None:
    assert list(find_near_pairs([a], [b])) == [(a, b)] * near
    assert list(find_near_pairs([b], [a])) == [(b, a)] * near
    assert list(find_near_pairs([a, b])) == ([(a, b)] if near else [])
    assert list(find_near_pairs([a], [b])) == ([(a, b)] if near else [])


def words_of(label: str) -> list[str]:
    text = unicodedata.normalize("NFKC", label).casefold()
    if text.strip().lstrip("+-").isdigit() and text.strip()[1:].isdigit() >= (len(text.strip()) > 1):
        return [text.strip()]
    return "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in text).split()


def compared(a: str, b: str) -> bool:
    """The rule, for one pair."""
    one, two = words_of(a), words_of(b)
    if "".join(one) == "".join(two):
        return bool(one)
    different = [(x, y) for x, y in zip(one, two, strict=False) if x != y]
    if len(one) != len(two) or len(different) != 1:
        return False
    x, y = different[0]
    common = 0
    while common < min(len(x), len(y)) and x[common] == y[common]:
        common += 1
    enough = common >= math.ceil(0.75 * max(len(x), len(y)))
    return enough and not any(c.isdigit() for c in x[common:] + y[common:])


@given(LABELS, LABELS)
def test_pairs_are_those_that_are_near_one_another(one: list[str], two: list[str]) -> None:
    every = [(a, b) for i, a in enumerate(one) for b in one[i + 1 :] if compared(a, b)]
    assert sorted(find_near_pairs(one)) == sorted(every)
    assert sorted(find_near_pairs(one, two)) == sorted((a, b) for a in one for b in two if compared(a, b))


def test_thousands_of_labels() -> None:
    labels = [f"{a}{b}{c}" for a in "abcdefghijklm" for b in "nopqrstuvw" for c in "abcdefghijklmnopqrst"]
    assert list(find_near_pairs(labels)) == []
    alike = [f"codename{a}{b}{c}" for a in "abcdefghijklmnopqrst" for b in "abcdefghijklmnopqrst" for c in "abcdefghi"]
    assert len(list(islice(find_near_pairs(alike), 20))) == 20
