"""Spans that are taken out of a text can be put back, and there are as many as was said before."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.text.span_corruption import corrupt_spans, count_spans, find_sentinels, split_spans
from skill_plugin.text.vocabulary import Vocabulary

SENTINELS = np.arange(1000, 1100, dtype=np.int32)
TEXTS = st.lists(st.integers(4, 999), max_size=300)


def restored(source: list[int], target: list[int]) -> list[int]:
    """The text: each sentinel of the source stands for what follows it in the target."""
    text: list[int] = []
    for token in source:
        if token < SENTINELS[0]:
            text.append(token)
            continue
        at = target.index(token) + 1
        while at < len(target) and target[at] < SENTINELS[0]:
            text.append(target[at])
            at += 1
    return text


@given(TEXTS, st.integers(0, 1 << 30), st.integers(1, 100))
def test_a_text_comes_back(text: list[int], seed: int, sentinels: int) -> None:
    ids = np.array(text, np.int32)
    corrupted = corrupt_spans(ids, SENTINELS[:sentinels], np.random.default_rng(seed))
    again = corrupt_spans(ids, SENTINELS[:sentinels], np.random.default_rng(seed))
    source, target = corrupted.source.tolist(), corrupted.target.tolist()
    assert (source, target) == (again.source.tolist(), again.target.tolist())
    assert restored(source, target) == text
    (tokens,), (spans,) = count_spans([len(text)], sentinels)
    marks = [token for token in source if token >= SENTINELS[0]]
    assert marks == [token for token in target if token >= SENTINELS[0]] == SENTINELS[:spans].tolist()
    assert (len(source), len(target)) == (len(text) - tokens + spans, tokens + spans)
    found = split_spans(corrupted.target, SENTINELS)
    assert list(found) == list(range(spans))
    assert all(len(span) for span in found.values())
    assert sum(map(len, found.values())) == tokens
    assert not any(a in marks and b in marks for a, b in pairwise(source))  # no two spans touch


def test_how_much_is_taken_out() -> None:
    """15 % of the tokens, in spans of 3 (Raffel et al. 2020), but a token at least and never all of several."""
    tokens, spans = count_spans([0, 1, 2, 3, 10, 20, 100, 512, 1000], 100)
    assert tokens.tolist() == [0, 1, 1, 1, 2, 3, 15, 77, 150]
    assert spans.tolist() == [0, 1, 1, 1, 1, 1, 5, 26, 50]
    assert count_spans([1000], 7).spans.tolist() == [7]


def test_every_division_is_as_likely() -> None:
    """Also of a short text with one span, which is not always its end."""
    text, random = np.arange(40, dtype=np.int32) + 10, np.random.default_rng(0)
    lengths = Counter(
        tuple(map(len, split_spans(corrupt_spans(text, SENTINELS, random).target, SENTINELS).values()))
        for _ in range(2000)
    )
    assert set(lengths) == {(n, 6 - n) for n in range(1, 6)}  # 6 tokens in two spans
    assert min(lengths.values()) > 320
    places = Counter(corrupt_spans(text[:6], SENTINELS, random).source.tolist().index(1000) for _ in range(2000))
    assert set(places) == set(range(6))  # one token of six
    assert min(places.values()) > 260


def test_sentinels_of_a_vocabulary() -> None:
    """In their order, whatever theirs in the vocabulary; with mT5's ▁ before them or without."""
    plain = Vocabulary.from_pieces(["a", "<extra_id_1>", "<extra_id_0>", "<extra_id_3>"], mask=False)
    assert find_sentinels(plain).tolist() == [6, 5]
    spaced = Vocabulary.from_pieces(["\u2581<extra_id_1>", "\u2581<extra_id_0>", "\u2581"], mask=False)
    assert find_sentinels(spaced).tolist() == [5, 4]
    assert find_sentinels(Vocabulary.from_pieces(["a"])).tolist() == []
