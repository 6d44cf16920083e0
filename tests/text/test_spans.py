"""Characters -> tokens -> characters, with the tokenizers of the fixtures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.text.spans import find_character_range, find_token_range
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer

ANY = st.text(
    st.one_of(st.characters(), st.sampled_from("the cat 北京é\u0301ﬁ㍿ﷺ½İ한 \u2028\u200b\ufeff\u3000🙂")), max_size=40
)


@pytest.fixture(scope="module")
def encoders(
    sentencepiece_model: Path, word_piece_tokens: list[str], tmp_path_factory: pytest.TempPathFactory
) -> list[TextEncoder]:
    vocabulary = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    vocabulary.write_text("\n".join(word_piece_tokens) + "\n", encoding="utf-8")
    return [open_tokenizer(sentencepiece_model), open_tokenizer(vocabulary)]


@settings(max_examples=300)
@given(ANY, st.data())
def test_round_trip_of_any_text(encoders: list[TextEncoder], text: str, data: st.DataObject) -> None:
    for encoder in encoders:
        offsets = encoder.encode(text).offsets
        kept = sorted({i for start, end in offsets.tolist() for i in range(start, end)})
        if not kept:
            continue
        start, end = sorted((data.draw(st.sampled_from(kept)), data.draw(st.sampled_from(kept))))
        tokens = find_token_range(offsets, start, end + 1)
        assert tokens is not None
        found = find_character_range(offsets, *tokens)
        assert found[0] <= start
        assert end + 1 <= found[1]
        # a span of whole pieces is found again exactly
        assert find_token_range(offsets, *found) is not None
        assert find_character_range(offsets, *find_token_range(offsets, *found)) == found
        # and no token that touches the span is outside
        touching = {t for t, (a, b) in enumerate(offsets.tolist()) if any(start <= i <= end for i in range(a, b))}
        assert touching <= set(range(*tokens))
        assert {tokens[0], tokens[1] - 1} <= touching


WORDS = [
    "Straße",
    "北京",
    "ｆｕｌｌ",
    "ﬁne",
    "㍿",
    "ﷺ",
    "e\u0301te\u0301",
    "ĞİJ",
    "🙂🙂",
    "ก็",
    "क्षि",
    "½",
    "don't",
    "O\ufb00",
]


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12),
    st.sampled_from([" ", "  ", "\u2028", "\u3000", "\u200b "]),
)
def test_surface_of_words_survives_normalisation(encoders: list[TextEncoder], words: list[str], gap: str) -> None:
    text = gap.join(words)
    starts = np.cumsum([0] + [len(word) + len(gap) for word in words[:-1]])
    for encoder in encoders:
        offsets = encoder.encode(text).offsets
        for word, start in zip(words, starts.tolist(), strict=True):
            tokens = find_token_range(offsets, start, start + len(word))
            assert tokens is not None
            first, last = find_character_range(offsets, *tokens)
            assert text[first:last] == word


def test_pieces_are_the_normalised_surface(encoders: list[TextEncoder], sentencepiece_model: Path) -> None:
    library = sentencepiece.SentencePieceProcessor(model_file=str(sentencepiece_model))
    text = "the ｆｕｌｌ cat ﬁne 1234 ㍿ Straße"
    encoding = encoders[0].encode(text)
    for word in text.split():
        start = text.index(word)
        tokens = find_token_range(encoding.offsets, start, start + len(word))
        pieces = library.encode(text, out_type=str)[slice(*tokens)]
        assert "".join(pieces).replace("▁", "") == library.normalize(word).replace("▁", "")


@pytest.mark.parametrize("unit", ["the cat 🙂 北京\u2028Straße ", "ﬁ㍿ﷺ \ud800 é e\u0301 \u3000", "a" * 50 + "🙂"])
def test_long_texts(encoders: list[TextEncoder], unit: str) -> None:
    """Offsets of a text of 15,000 characters and more are those of its parts."""
    times = 15_000 // len(unit) + 1
    for encoder in encoders:
        one = encoder.encode(unit + " x").offsets[:-1]
        text = (unit + " ") * times + "x"
        offsets = encoder.encode(text).offsets
        visible = offsets[offsets[:, 0] < offsets[:, 1]]
        expected = [one[one[:, 0] < one[:, 1]] + i * (len(unit) + 1) for i in range(times)]
        assert (visible[:-1] == np.concatenate(expected)).all()
        assert text[slice(*visible[-1])] == "x"
        assert (np.diff(visible[:, 0]) >= 0).all()
        covered = np.zeros(len(text), bool)
        for start, end in visible.tolist():
            covered[start:end] = True
        period = covered[:-1].reshape(times, len(unit) + 1)
        assert (period == period[0]).all()


def test_empty_ranges_count_for_nothing() -> None:
    offsets = np.array([[0, 0], [0, 2], [2, 2], [4, 6], [6, 6]], np.int32)
    assert find_token_range(offsets, 0, 6) == (1, 4)
    assert find_token_range(offsets, 1, 3) == (1, 2)
    assert find_token_range(offsets, 2, 4) is None
    assert find_token_range(offsets, 3, 3) is None
    assert find_token_range(offsets[:0], 0, 3) is None
    assert find_character_range(offsets, 0, 5) == (0, 6)
    assert find_character_range(offsets, 2, 3) == (2, 2)
    with pytest.raises(ValueError, match="expected at least one"):
        find_character_range(offsets, 2, 2)


def test_order_is_not_needed() -> None:
    offsets = np.array([[0, 1], [2, 3], [1, 2], [3, 4]], np.int32)
    assert find_token_range(offsets, 1, 2) == (2, 3)
    assert find_character_range(offsets, 1, 3) == (1, 3)
