from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import regex
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from skill_plugin.errors import InputError
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.text.words import EncodedWords, encode_words_batch, split_words

ODD = [
    "",
    " ",
    "20\u00a0000",
    "\u3000",
    "\u200b",
    "a\u200bb",
    "\ufeffcat",
    "\u0301a",
    "e\u0301",
    "\u200d",
    "New York",
    "\x07",
]
ODD += [
    "\ufffd",
    "\u2581",
    "▁a",
    "ﬁ",
    "㍿",
    "ﷺ",
    "ǅ",
    "½",
    "\x00",
    "👨\u200d👩",
    "\ud800",
    "\u00a8",
    "\u1161",
    "\ue000",
    "a\n",
    "\u2028",
]
WORD = st.one_of(st.text(max_size=6), st.sampled_from([*ODD, "the", "cat", "北京", "12345", "Straße"]))
BORING = st.text("abcdefghijklmnoäñé1234567890.,?北京天", min_size=1, max_size=8)


def encode_words(encoder: TextEncoder, words: Sequence[str], spaced: bool) -> EncodedWords:
    return encode_words_batch(encoder, [words], spaced)[0]


@pytest.fixture(scope="module")
def byte_level(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], TextEncoder]:
    def make(add_prefix_space: bool) -> TextEncoder:
        library = Tokenizer(models.BPE())
        library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
        special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
        library.train_from_iterator(["the cat sat on the mat", "北京 天安门 北京"] * 5, trainer)
        path = tmp_path_factory.mktemp("byte_level") / "tokenizer.json"
        library.save(str(path))
        return open_tokenizer(path)

    return make


@pytest.fixture(scope="module")
def encoders(
    sentencepiece_model: Path,
    word_piece_tokens: list[str],
    byte_level: Callable[[bool], TextEncoder],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, TextEncoder]:
    vocabulary = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    vocabulary.write_text("\n".join(word_piece_tokens) + "\n", encoding="utf-8")
    return {
        "sentencepiece": open_tokenizer(sentencepiece_model),
        "word_piece": open_tokenizer(vocabulary),
        "byte_level": byte_level(False),
    }


def pieces(encoder: TextEncoder, ids: np.ndarray) -> list[str]:
    return [encoder.vocabulary.symbols[i] for i in ids.tolist()]


@settings(max_examples=400)
@given(st.lists(WORD, max_size=8), st.booleans())
def test_every_word_has_pieces_of_its_own(
    encoders: dict[str, TextEncoder], words: list[str], with_spaces: bool
) -> None:
    for encoder in encoders.values():
        found = encode_words(encoder, words, with_spaces)
        assert found.ids.dtype == found.first.dtype == np.int32
        first = found.first.tolist()
        assert len(first) == len(words)
        assert first == sorted(set(first))
        assert set(first) <= set(range(len(found.ids)))
        assert all(3 <= i < len(encoder.vocabulary) and i != encoder.vocabulary.mask for i in found.ids.tolist())
        if not words:
            assert not len(found.ids)


@given(st.lists(BORING, max_size=8))
def test_words_with_spaces_are_running_text(encoders: dict[str, TextEncoder], words: list[str]) -> None:
    for encoder in encoders.values():
        found = encode_words(encoder, words, spaced=True)
        text = " ".join(words)
        running = encoder.encode(text)
        assert found.ids.tolist() == running.ids.tolist()
        starts = [sum(len(w) + 1 for w in words[:i]) for i in range(len(words))]
        assert running.offsets[found.first, 0].tolist() == starts
        # a lone "▁" stands before the first piece with ink
        assert all(a < b for a, b in running.offsets[found.first].tolist())


@settings(max_examples=300)
@given(st.lists(WORD, max_size=6))
def test_a_word_has_the_pieces_that_it_has_in_any_sentence(encoders: dict[str, TextEncoder], words: list[str]) -> None:
    """Running text that is divided between words is what each word gives behind another one."""
    for name, encoder in encoders.items():
        if name == "byte_level":  # GPT-2's splitting of several spaces depends on what follows them
            words = [word for word in words if word and word == word.strip()]
        x = encode_words(encoder, ["x"], spaced=True).ids.tolist()
        expected = x + [i for w in words for i in encode_words(encoder, ["x", w], spaced=True).ids.tolist()[len(x) :]]
        found = encode_words(encoder, ["x", *words], spaced=True).ids.tolist()
        # SentencePiece has one space piece where an invisible word and another one's space come together
        space = encoder.vocabulary.index("▁")
        assert [i for i in found if i != space] == [i for i in expected if i != space]


def test_batch_is_each_sentence(encoders: dict[str, TextEncoder]) -> None:
    sentences = [["the", "cat"], [], ODD, ["北", "京", "\ufffd"], ["the"]]
    for encoder in encoders.values():
        for with_spaces in (True, False):
            batch = encode_words_batch(encoder, sentences, with_spaces)
            for found, sentence in zip(batch, sentences, strict=True):
                alone = encode_words(encoder, sentence, with_spaces)
                assert (found.ids.tolist(), found.first.tolist()) == (alone.ids.tolist(), alone.first.tolist())


def test_words_without_pieces_are_unknown(encoders: dict[str, TextEncoder]) -> None:
    for name in ("sentencepiece", "word_piece"):
        found = encode_words(encoders[name], ["", "the", "\u200b", "\x07", "cat", "\ufeff"], spaced=True)
        first = pieces(encoders[name], found.ids[found.first])
        assert [piece == "<unk>" for piece in first] == [True, False, True, True, False, True]
        known = encode_words(encoders[name], ["the", "cat"], spaced=True).ids.tolist()
        assert [i for i in found.ids.tolist() if i != encoders[name].vocabulary.unk] == known


def test_pieces_across_words_are_encoded_word_by_word(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the cat sat\nthe cat ran\n" * 20, encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text.txt"),
        model_prefix=str(tmp_path / "m"),
        model_type="bpe",
        vocab_size=40,
        split_by_whitespace=False,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    encoder = open_tokenizer(tmp_path / "m.model")
    assert any("▁" in piece[1:] for piece in pieces(encoder, encoder.encode("the cat sat").ids))
    found = encode_words(encoder, ["the", "cat", "sat"], spaced=True)
    expected = [encoder.encode(word).ids.tolist() for word in ("the", "cat", "sat")]
    assert found.ids.tolist() == [i for ids in expected for i in ids]
    assert found.first.tolist() == [0, len(expected[0]), len(expected[0]) + len(expected[1])]


def test_characters_have_their_pieces_inside_a_text(encoders: dict[str, TextEncoder]) -> None:
    for name, encoder in encoders.items():
        running = "天北京天"
        found = encode_words(encoder, list(running), spaced=False)
        shown = pieces(encoder, found.ids)
        assert not any(piece.startswith(("▁", "Ġ")) for piece in shown), name
        if name != "byte_level":
            assert shown == list(running)
            assert found.first.tolist() == [0, 1, 2, 3]


def test_continuing_is_the_segmentation_inside_a_text(encoders: dict[str, TextEncoder]) -> None:
    """SentencePiece: the pieces behind a full stop, which joins with nothing."""
    encoder = encoders["sentencepiece"]
    assert encoder.tokenizer is not None
    for text in ["北京", "the", "cat12345", "ß", "ﬁ", "🙂北", "☃☃北", "\x07北", "", "京\u0301"]:
        (found,) = encoder.tokenizer.encode_batch([text], continuing=True)
        inside = encoder.encode("我。" + text)
        behind = inside.offsets[:, 0] >= 2
        assert pieces(encoder, found.ids) == pieces(encoder, inside.ids[behind])
        assert found.offsets.tolist() == (inside.offsets[behind] - 2).tolist()


def test_prefix_space_of_byte_level_bpe(byte_level: Callable[[bool], TextEncoder]) -> None:
    with_prefix, without = byte_level(True), byte_level(False)
    assert pieces(with_prefix, with_prefix.encode("the").ids) == ["Ġthe"]
    for encoder in (with_prefix, without):
        found = encode_words(encoder, ["t", "h", "e"], spaced=False)
        assert pieces(encoder, found.ids) == ["t", "h", "e"]
        found = encode_words(encoder, ["cat", "the", "cat"], spaced=True)
        assert pieces(encoder, found.ids)[-2:] == ["Ġthe", "Ġcat"]


def test_prefix_of_unigram_in_tokenizer_json(tmp_path: Path) -> None:
    scores = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -3.0), ("北", -2.0), ("▁北", -2.0)]
    library = Tokenizer(models.Unigram([*scores, ("<mask>", 0.0)], 3, False))
    metaspace = pre_tokenizers.Metaspace(prepend_scheme="always")
    library.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace])
    library.save(str(tmp_path / "tokenizer.json"))
    encoder = open_tokenizer(tmp_path / "tokenizer.json")
    assert pieces(encoder, encode_words(encoder, ["北", "北"], spaced=True).ids) == ["▁北", "▁北"]
    assert pieces(encoder, encode_words(encoder, ["北", "北"], spaced=False).ids) == ["北", "北"]


def test_no_tokenizer() -> None:
    encoder = TextEncoder(None, Vocabulary.from_pieces(["a"]), Template(2, token_types=False))
    for with_spaces in (True, False):
        with pytest.raises(InputError, match="no tokenizer"):
            encode_words(encoder, ["a"], with_spaces)


@given(st.text(st.one_of(st.characters(), st.sampled_from("ab e\u0301'.\u200c\u200d👨❤\ufe0f \n")), max_size=30))
def test_every_character_is_in_one_word(text: str) -> None:
    for spaced in (True, False):
        found = split_words(text, spaced)
        covered = [i for start, end in found for i in range(start, end)]
        assert covered == [i for i, c in enumerate(text) if not c.isspace()]
        assert all(start < end for start, end in found)


def test_every_code_point_is_told_apart_as_python_does_it() -> None:
    """Letters with digits and underscores, marks, and signs, by what stands beside them; where both know the sign."""
    known = regex.compile(r"\P{Cn}")
    for character in map(chr, range(sys.maxunicode + 1)):
        category = unicodedata.category(character)
        if character.isspace() or category == "Cn" or not known.match(character):
            continue
        mark, letter = category[0] == "M", character == "_" or character.isalnum()
        joined = mark or letter or character in "\u200c\u200d"  # between letters
        expected = [(0, 3)] if joined else [(0, 1), (1, 2), (2, 3)]
        assert split_words(f"a{character}b", spaced=True) == tuple(expected)
        expected = [(0, 2)] if mark else [(0, 1), (1, 2)]  # behind a sign
        assert split_words(f"!{character}", spaced=True) == tuple(expected)
        if category != "Cs":
            assert split_words(f"!\u200d{character}", spaced=True) == (
                ((0, 1), (1, 2), (2, 3)) if letter else ((0, 3),)
            )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Er sagt: »Nein.«", ["Er", "sagt", ":", "»", "Nein", ".", "«"]),
        ("don't 3.5 foo_bar", ["don", "'", "t", "3", ".", "5", "foo_bar"]),
        ("cafe\u0301 हिन्दी, می‌خواهم", ["cafe\u0301", "हिन्दी", ",", "می‌خواهم"]),
        ("👨\u200d👩\u200d👧❤\ufe0f!!", ["👨\u200d👩\u200d👧", "❤\ufe0f", "!", "!"]),
        ("a\u00a0b\u3000c\u2028d", ["a", "b", "c", "d"]),
        ("\u0301a \u200d", ["\u0301a", "\u200d"]),
        ("", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert [text[a:b] for a, b in split_words(text, spaced=True)] == words
    assert [text[a:b] for a, b in split_words(text, spaced=False)] == [c for c in text if not c.isspace()]
