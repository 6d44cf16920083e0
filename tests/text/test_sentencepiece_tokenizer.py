from __future__ import annotations

from pathlib import Path

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.text.vocabulary import Vocabulary

TEXTS = [
    "the cat  sat",
    "a\u2028b",
    "🙂 the dog",
    "Ｔｈｅ cat",
    "e\u0301te\u0301 dog",
    "㍿ cat",
    "\ufb01ne cat",
    "  the cat ",
    "",
    "   ",
    "a\u200bb",
    "日本㍿です",
    "the cat\tsat\x85on",
]


@pytest.fixture(scope="module")
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model)


def test_ids_are_those_of_the_pieces(encoder: TextEncoder, sentencepiece_model: Path) -> None:
    library = sentencepiece.SentencePieceProcessor(model_file=str(sentencepiece_model))
    for text in TEXTS:
        expected = [encoder.vocabulary.index(piece) for piece in library.encode(text, out_type=str)]
        assert encoder.encode(text).ids.tolist() == expected


def test_vocabulary_without_dictionary_is_fairseq_order(encoder: TextEncoder, sentencepiece_model: Path) -> None:
    library = sentencepiece.SentencePieceProcessor(model_file=str(sentencepiece_model))
    pieces = [library.id_to_piece(i) for i in range(3, library.get_piece_size())]
    assert encoder.vocabulary == Vocabulary.from_pieces(pieces)
    assert encoder.template.separators == 2
    assert not encoder.template.token_types


def test_dictionary_decides_the_ids(encoder: TextEncoder, sentencepiece_model: Path, tmp_path: Path) -> None:
    pieces = encoder.vocabulary.symbols[4:-1][::-1]
    dropped = encoder.vocabulary.symbols[encoder.encode("cat").ids[0]]
    Vocabulary.from_pieces([p for p in pieces if p != dropped]).write_dict_txt(tmp_path / "dict.txt")
    other = open_tokenizer(sentencepiece_model, tmp_path / "dict.txt")
    for text in TEXTS:
        there = [other.vocabulary.symbols[i] for i in other.encode(text).ids]
        here = [encoder.vocabulary.symbols[i] for i in encoder.encode(text).ids]
        assert there == ["<unk>" if p == dropped else p for p in here]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the cat  sat", ["the", "cat", "sat"]),
        (" the\u2028cat ", ["the", "cat"]),
        ("🙂 the dog", ["🙂", "the", "dog"]),
        ("Ｔｈｅ cat", ["Ｔｈｅ", "cat"]),
        ("a\u200bcat", ["a", "cat"]),
        ("1234㍿ cat", ["1234㍿", "cat"]),
    ],
)
def test_offsets_point_into_the_original_text(encoder: TextEncoder, text: str, words: list[str]) -> None:
    encoding = encoder.encode(text)
    covered = set()
    for start, end in encoding.offsets.tolist():
        assert text[start:end] == text[start:end].strip()
        covered |= set(range(start, end))
    kept = "".join(c if i in covered else " " for i, c in enumerate(text))
    assert kept.split() == words


@pytest.mark.parametrize(("text", "whole"), [("½", (0, 1)), ("the ㍿", (4, 5)), ("\x07\u200f½\x08 cat", (2, 3))])
def test_all_pieces_of_one_character_have_its_range(encoder: TextEncoder, text: str, whole: tuple[int, int]) -> None:
    encoding = encoder.encode(text)
    shared = [tuple(o) for o in encoding.offsets.tolist() if whole[0] <= o[0] < o[1] <= whole[1]]
    assert shared == [whole] * len(shared) != []
    symbols = [encoder.vocabulary.symbols[i] for i in encoding.ids]
    empty = [s for s, (a, b) in zip(symbols, encoding.offsets.tolist(), strict=True) if a == b]
    assert set(empty) <= {"▁", "<unk>"}


def test_unknown_pieces_of_one_character_have_its_range(encoder: TextEncoder) -> None:
    """Four words, of which none is known: the first of them is read for the word, as exported models do."""
    encoding = encoder.encode("cat ﷺ")
    symbols = [encoder.vocabulary.symbols[i] for i in encoding.ids]
    assert symbols[3:] == ["▁", "<unk>"] * 4
    assert [tuple(place) for place in encoding.offsets.tolist()[3:]] == [(4, 4), (4, 5)] * 4


@pytest.mark.parametrize("sign", ["ﷺ", "ﷻ", "ŉ", "½"])
def test_in_the_middle_of_a_text_a_character_has_the_pieces_that_it_has_behind_another(
    encoder: TextEncoder, sign: str
) -> None:
    """Also where the first of the letters that it becomes has no piece."""
    assert encoder.tokenizer is not None
    behind, (alone, _) = encoder.encode(f"cat{sign}"), encoder.tokenizer.encode_batch([sign, f"{sign}t"], True)
    assert alone.ids.tolist() == behind.ids.tolist()[len(encoder.encode("cat").ids) :]
    assert {tuple(place) for place in alone.offsets.tolist() if place[0] < place[1]} == {(0, 1)}


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_offsets_of_any_text_are_ordered_ranges(encoder: TextEncoder, text: str) -> None:
    encoding = encoder.encode(text)
    assert encoding.offsets.shape == (len(encoding.ids), 2)
    before = 0
    for start, end in encoding.offsets.tolist():
        assert before <= start <= end <= len(text) or start == end
        before = max(before, start)


def test_special_symbols_in_a_text_are_text(encoder: TextEncoder) -> None:
    ids = encoder.encode("<s> </s> <pad> <mask>").ids.tolist()
    assert not {0, 1, 2, encoder.vocabulary.mask} & set(ids)


def test_lone_surrogates_do_not_crash(encoder: TextEncoder) -> None:
    encoding = encoder.encode("the \ud800 cat")
    assert encoding.offsets[-1, 1] == 9


def test_not_a_model(tmp_path: Path) -> None:
    (tmp_path / "x.model").write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"x.model: not a SentencePiece model"):
        open_tokenizer(tmp_path / "x.model")
    with pytest.raises(InputError, match="No such file"):
        open_tokenizer(tmp_path / "y.model")
