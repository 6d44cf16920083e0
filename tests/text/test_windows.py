from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.text.windows import choose_windows, divide_text, divide_texts

ROOM_AND_STRIDE = st.integers(1, 40).flatmap(
    lambda room: st.tuples(st.just(room), st.one_of(st.none(), st.integers(1, room)))
)


@given(st.integers(0, 300), ROOM_AND_STRIDE)
def test_windows_cover_every_token_in_order(length: int, sizes: tuple[int, int | None]) -> None:
    room, stride = sizes
    found = divide_text(length, room, stride)
    step = max(1, room // 2) if stride is None else stride
    assert [start for start, _ in found] == [i * step for i in range(len(found))]
    assert all(end - start == room for start, end in found[:-1])
    assert found[-1][1] == length
    assert found[-1][1] - found[-1][0] <= room
    assert {i for start, end in found for i in range(start, end)} == set(range(length))
    # none is superfluous: the one before the last does not reach the end
    assert len(found) == 1 or found[-2][1] < length


@given(st.integers(0, 300), ROOM_AND_STRIDE)
def test_window_of_is_the_one_with_most_context_on_the_poorer_side(length: int, sizes: tuple[int, int | None]) -> None:
    found = divide_text(length, *sizes)
    expected = [
        max(range(len(found)), key=lambda w: (min(i - found[w][0], found[w][1] - 1 - i), -w)) for i in range(length)
    ]
    assert choose_windows(length, found).tolist() == expected


@given(st.lists(st.integers(0, 300)), ROOM_AND_STRIDE)
def test_counts_are_those_of_the_windows(lengths: list[int], sizes: tuple[int, int | None]) -> None:
    found = [divide_text(length, *sizes) for length in lengths]
    assert divide_texts(lengths, *sizes).counts.tolist() == [len(w) for w in found]


@pytest.mark.parametrize(
    ("room", "stride", "message"),
    [(0, None, "room is 0"), (4, 5, "stride is 5, expected 1 to 4"), (4, 0, "stride is 0")],
)
def test_impossible_sizes(room: int, stride: int | None, message: str) -> None:
    for call in (lambda: divide_text(9, room, stride), lambda: divide_texts([9], room, stride)):
        with pytest.raises(ValueError, match=message):
            call()
