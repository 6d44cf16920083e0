"""Requests are cut into pieces that lose nothing and are small."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.serving.question import PIECE, PIECE_CHARACTERS, count_characters, cut_into_pieces

VALUES = st.recursive(
    st.text(max_size=5) | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(st.lists(st.integers(0, 2 * PIECE_CHARACTERS) | st.integers(0, 300), max_size=60))
def test_pieces(characters: list[int]) -> None:
    pieces = cut_into_pieces(characters)
    assert [number for start, end in pieces for number in range(start, end)] == list(range(len(characters)))
    for start, end in pieces:
        assert 1 <= end - start <= PIECE
        assert end - start == 1 or sum(characters[start:end]) <= PIECE_CHARACTERS
    for start, end in pieces[:-1]:  # none could have had one more
        assert end - start == PIECE or sum(characters[start : end + 1]) > PIECE_CHARACTERS


@given(VALUES)
def test_characters(value: Any) -> None:
    def count(one: Any) -> int:
        if isinstance(one, dict):
            one = list(one.values())
        return sum(map(count, one)) if isinstance(one, list) else len(one) if isinstance(one, str) else 0

    assert count_characters(value) == count(value)
