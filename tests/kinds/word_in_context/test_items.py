"""The head reads the first token and both words, wherever they are and however much must be cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.kinds.word_in_context.items import WordInContextItems
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import examples, make_reading

PLACE = st.floats(0, 1)


def row_of(lengths: list[int], spans: list[tuple[int, int, int]]) -> EncodedRow:
    """Text 0 has the ids 100, 101, …, text 1 the ids 300, 301, …"""
    texts = tuple(np.arange(length, dtype=np.int32) + 100 + 200 * i for i, length in enumerate(lengths))
    return EncodedRow(texts, arrays={"span": np.array(spans, np.int32).reshape(-1)})


def words_read(items: WordInContextItems, row: EncodedRow) -> list[int]:
    (sequence,) = items.sequences(row)
    assert len(sequence.tokens) <= items.reading.max_length
    assert sequence.units.shape == (1, 3)
    assert sequence.units[0, 0] == 0
    return sequence.tokens[sequence.units[0, 1:]].tolist()


@given(st.integers(1, 100), st.integers(1, 100), PLACE, PLACE, st.integers(6, 60))
def test_words_of_two_texts(
    encoders: dict[str, TextEncoder], one: int, two: int, first: float, second: float, max_length: int
) -> None:
    items = WordInContextItems(make_reading("wic", encoders["sentencepiece"], max_length))
    places = int(first * (one - 1)), int(second * (two - 1))
    row = row_of([one, two], [(0, places[0], places[0] + 1), (1, places[1], places[1] + 1)])
    assert words_read(items, row) == [100 + places[0], 300 + places[1]]


@given(st.integers(1, 100), PLACE, PLACE, st.integers(4, 60))
def test_words_of_one_text(
    encoders: dict[str, TextEncoder], length: int, first: float, second: float, max_length: int
) -> None:
    items = WordInContextItems(make_reading("wsc", encoders["sentencepiece"], max_length))
    places = int(first * (length - 1)), int(second * (length - 1))
    row = row_of([length], [(0, place, length) for place in places])
    assert words_read(items, row) == [100 + places[0], 100 + places[1]]


def test_the_context_that_is_kept_is_around_the_words(encoders: dict[str, TextEncoder]) -> None:
    items = WordInContextItems(make_reading("wsc", encoders["sentencepiece"], 10))
    (sequence,) = items.sequences(row_of([50], [(0, 10, 11), (0, 40, 41)]))
    assert sequence.tokens.tolist() == [0, 108, 109, 110, 111, 112, 139, 140, 141, 2]


def test_a_text_of_which_nothing_is_left(encoders: dict[str, TextEncoder]) -> None:
    with pytest.raises(InputError, match="'wic': the longest sequence has 4 tokens; expected at least 5"):
        WordInContextItems(make_reading("wic", encoders["sentencepiece"], 4))
    items = WordInContextItems(make_reading("wic", encoders["sentencepiece"], 5))
    row = row_of([3, 3], [(0, 1, 2), (1, 2, 3)])
    first, second = words_read(items, row)
    assert {first, second} <= {0, 2, 101, 302}
    empty = row_of([0, 0], [(0, 0, 1), (1, 0, 1)])
    assert words_read(items, empty) == [0, 2]


def test_words_of_raw_texts(encoder: TextEncoder) -> None:
    for name in ("wic", "wsc"):
        items = WordInContextItems(make_reading(name, encoder, 12))
        for made in examples(name, 40):
            (row,) = items.encode([made])
            for token, (number, start, end) in zip(words_read(items, row), made.spans, strict=True):
                offsets = encoder.encode(made.texts[number]).offsets.tolist()
                touching = [t for t, (a, b) in enumerate(offsets) if max(a, start) < min(b, end)]
                assert token == row.texts[number][touching[0]]


def test_a_word_without_a_token(encoders: dict[str, TextEncoder]) -> None:
    """A zero-width space gives no token with ink: the one after it stands for it, at the end the last one."""
    items = WordInContextItems(make_reading("wsc", encoders["word_piece"], 12))
    made = Example(("the \u200b cat \u200b",), None, "", 0, spans=((0, 4, 5), (0, 10, 11)))
    (row,) = items.encode([made])
    cat = encoders["word_piece"].vocabulary.index("cat")
    assert words_read(items, row) == [cat, cat]
