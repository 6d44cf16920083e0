"""EDM: against its published program, and against sums written out here."""

from __future__ import annotations

import math
from dataclasses import astuple

import pytest

from skill_plugin.analysis.difficulty.measure import count_words, distance, information, most_frequent, words_of
from skill_plugin.analysis.difficulty.stop_words import STOP_WORDS

ROWS = [
    ("A man plays the guitar, loudly.", "yes"),
    ("Nobody plays; the room is empty!", "no"),
    ("Two men play music on a stage.", "yes"),
    ("A dog sleeps on the empty stage.", "no"),
    ("The café isn't open: a man waits, a dog waits.", "maybe"),
    ("People wait for music and music is played.", "yes"),
] * 6  # the program does not end with fewer than 30


def test_the_numbers_are_those_of_the_published_program() -> None:
    """edm 0.0.4 of PyPI: report.get_difficulty_components_dict of these rows."""
    found = count_words(ROWS).difficulty()
    assert found is not None
    assert astuple(found) == pytest.approx(
        (0.10227272727272728, 0.33333333333333337, 1.0114042647073516, 0.4033798870647396, 0.8626609638747529)
    )
    assert found.sum == pytest.approx(2.713051176252905)


def test_the_parts_written_out() -> None:
    rows = [("red red blue", "a"), ("red sun", "b"), ("blue moon moon", "b"), ("sun", "a")]
    found = count_words(rows).difficulty()
    assert found is not None
    assert found.vocabulary == 4 / 9  # red, blue, sun, moon of nine words
    assert (found.imbalance, found.diversity) == pytest.approx((0, math.log(2)))
    share = {"a": {"red": 2 / 4, "blue": 1 / 4, "sun": 1 / 4}}
    share["b"] = {"red": 1 / 5, "sun": 1 / 5, "blue": 1 / 5, "moon": 2 / 5}
    apart = sum((math.sqrt(p) - math.sqrt(share["b"][word])) ** 2 for word, p in share["a"].items())  # without moon
    assert found.similarity == pytest.approx(1 - math.sqrt(apart / 2))
    joint = {"red": 3 / 9, "blue": 2 / 9, "sun": 2 / 9}
    common = sum(p * math.log(p / (share["a"][word] * share["b"][word])) for word, p in joint.items())
    own = [-sum(p * math.log(p) for p in each.values()) for each in share.values()]
    assert found.information == pytest.approx((own[0] + own[1] + 2 * common) / 4)


def test_words() -> None:
    assert words_of("It isn't a café, U.S.A.!") == ["it", "isnt", "a", "caf", "usa"]
    assert words_of("北京 \x00x\x7f") == ["x"] and words_of("") == []
    assert len(STOP_WORDS) == 153 and "isnt" not in STOP_WORDS
    counted = count_words([("the the the b a b c", "x"), (" ".join(f"w{n}" for n in range(12)), "x")]).words["x"]
    assert list(most_frequent(counted).items()) == [("b", 2), ("c", 1), *((f"w{n}", 1) for n in range(8))]
    assert distance(counted, counted) == 0 and information(counted, type(counted)(z=1)) == 0


def test_no_difficulty_without_two_classes_or_words() -> None:
    assert count_words([("one", "x"), ("two", "x")]).difficulty() is None
    assert count_words([("北京", "x"), ("?!", "y")]).difficulty() is None
    assert count_words([]).difficulty() is None
    assert count_words([("北京", "x"), ("one", "y")]).difficulty() is not None
