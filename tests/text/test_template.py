from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from skill_plugin.text.sequences.truncation import truncate_lengths
from skill_plugin.text.template import Template

BERT, ROBERTA = Template(1, token_types=True), Template(2, token_types=False)
A, B = np.array([10, 11, 12], np.int32), np.array([20, 21], np.int32)


def test_bert_pair() -> None:
    out = BERT.assemble([A, B])
    assert out.tokens.tolist() == [0, 10, 11, 12, 2, 20, 21, 2]
    assert out.token_types.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert out.ranges == [(1, 4), (5, 7)]
    assert out.tokens.dtype == out.token_types.dtype == np.int32


def test_roberta_pair_and_single() -> None:
    out = ROBERTA.assemble([A, B])
    assert out.tokens.tolist() == [0, 10, 11, 12, 2, 2, 20, 21, 2]
    assert not out.token_types.any()
    assert out.ranges == [(1, 4), (6, 8)]
    assert ROBERTA.assemble([A]).tokens.tolist() == [0, 10, 11, 12, 2]
    assert ROBERTA.assemble([A[:0], B[:0]]).tokens.tolist() == [0, 2, 2, 2]


def test_three_texts() -> None:
    out = BERT.assemble([A, B, A])
    assert out.tokens.tolist() == [0, 10, 11, 12, 2, 20, 21, 2, 10, 11, 12, 2]
    assert out.token_types.tolist() == [0] * 5 + [1] * 7


@pytest.mark.parametrize(
    ("truncate", "maximum", "tokens"),
    [
        ("longest", 7, [0, 10, 11, 2, 20, 21, 2]),
        ("longest", 6, [0, 10, 11, 2, 20, 2]),
        ("longest", 3, [0, 2, 2]),
        ("right", 7, [0, 10, 11, 12, 2, 20, 2]),
        ("right", 5, [0, 10, 11, 2, 2]),
    ],
)
def test_truncation(truncate: str, maximum: int, tokens: list[int]) -> None:
    kept = truncate_lengths([len(A), len(B)], maximum - BERT.special_tokens(2), truncate)
    assert kept != [len(A), len(B)]
    out = BERT.assemble([text[:length] for text, length in zip([A, B], kept, strict=True)])
    assert out.tokens.tolist() == tokens
    assert [tokens[start:end] for start, end in out.ranges] == [[t for t in tokens if t // 10 == n] for n in (1, 2)]


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 40))
def test_pairs_are_cut_as_transformers_cuts_them(first: int, second: int, room: int) -> None:
    library = Tokenizer(models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?"))
    library.enable_truncation(room, strategy="longest_first")
    ids = library.encode(["a"] * first, ["b"] * second, is_pretokenized=True).ids
    if first + second <= room or min(first, second) > 0:  # the library refuses to cut an empty text's partner in places
        assert truncate_lengths([first, second], room, "longest") == [ids.count(0), ids.count(1)]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=4), st.integers(0, 100), st.sampled_from(["longest", "right"]))
def test_cutting_uses_all_the_room(lengths: list[int], room: int, truncate: str) -> None:
    kept = truncate_lengths(lengths, room, truncate)
    assert sum(kept) == min(sum(lengths), room)
    assert all(0 <= k <= n for k, n in zip(kept, lengths, strict=True))
    if truncate == "longest":  # what was cut is never shorter than what was left whole, but for one token
        cut = [k for k, n in zip(kept, lengths, strict=True) if k < n]
        assert not cut or max(kept) - min(cut) <= 1
