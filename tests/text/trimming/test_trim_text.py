"""A tokenizer that lost pieces encodes the texts that it was cut for as before, and any other text without a fault."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from skill_plugin.errors import InputError
from skill_plugin.text.hub_tokenizer import SpecialTokens
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.text.trimming.needed_pieces import needed_for_spelling
from skill_plugin.text.trimming.trim_text import TrimmedText, trim_text
from skill_plugin.text.trusted_offsets import TEXTS
from skill_plugin.text.vocabulary import SPECIALS, Vocabulary
from tests.conftest import LINES
from tests.text.trimming.tokenizers_of_each_model import MODELS, PAGES, make_tokenizer

OTHERS = [*TEXTS, "", " ", "a\u2028b", "\ufdfa", "👩\u200d🔬", "ᚠᛇᚻ ☃", "x" * 300, "<s> [SEP]", "\u0301", "\ue000"]
some_lines = st.lists(st.sampled_from([*PAGES, *LINES, *OTHERS]), max_size=12)
some_words = st.lists(st.sampled_from(" ".join(LINES).split()), max_size=5)


@pytest.fixture(scope="module", params=MODELS)
def full(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TextEncoder:
    return make_tokenizer(request.param, tmp_path_factory.mktemp("tokenizer"))


def cut_to(full: TextEncoder, texts: Sequence[str], words: Sequence[str] = ()) -> TrimmedText:
    """Cut to the pieces of texts, and of words in the middle of a text."""
    occurring = np.zeros(len(full.vocabulary), np.bool_)
    assert full.tokenizer is not None
    for encoding in (*full.encode_batch(texts), *full.tokenizer.encode_batch(words, continuing=True)):
        occurring[encoding.ids] = True
    return trim_text(full, occurring)


def encoded(encoder: TextEncoder, texts: Sequence[str], continuing: bool = False) -> list[list[tuple[str, int, int]]]:
    """The pieces of each text with their offsets."""
    assert encoder.tokenizer is not None
    symbols = encoder.vocabulary.symbols
    return [
        [(symbols[i], *place) for i, place in zip(found.ids.tolist(), found.offsets.tolist(), strict=True)]
        for found in encoder.tokenizer.encode_batch(texts, continuing)
    ]


def unknown(encoder: TextEncoder, text: str) -> set[int]:
    """The characters of a text that are in an unknown piece."""
    return {i for symbol, start, end in encoded(encoder, [text])[0] if symbol == "<unk>" for i in range(start, end)}


@settings(max_examples=25)
@given(
    texts=some_lines, words=st.lists(st.sampled_from(" ".join(LINES).split()), max_size=5), other=st.text(max_size=40)
)
def test_texts_are_encoded_as_before(full: TextEncoder, texts: list[str], words: list[str], other: str) -> None:
    trimmed = cut_to(full, texts, words)
    cut = trimmed.text
    assert encoded(cut, texts) == encoded(full, texts)
    assert encoded(cut, words, continuing=True) == encoded(full, words, continuing=True)
    assert [full.vocabulary.symbols[i] for i in trimmed.rows] == cut.vocabulary.symbols
    assert full.vocabulary.rows_of(cut.vocabulary) == trimmed.rows.tolist()
    # of others only the spelling changes, unless pieces that the vocabulary lacks had to stay
    if not any(
        symbol == "<unk>" for text in (*encoded(full, texts), *encoded(full, words, True)) for symbol, *_ in text
    ):
        for text in (*OTHERS, *PAGES, other):
            assert unknown(cut, text) <= unknown(full, text)


def test_pieces_are_lost_and_characters_stay(full: TextEncoder) -> None:
    trimmed = cut_to(full, LINES)
    cut, there = trimmed.text, set(trimmed.text.vocabulary.symbols)
    assert len(cut.vocabulary) < 0.6 * len(full.vocabulary)
    assert {"<s>", "<pad>", "</s>", "<unk>", "<mask>"} <= there
    if not full.vocabulary.symbols[4].isdecimal():
        assert {symbol for symbol in full.vocabulary.symbols if len(symbol) == 1} <= there
    assert cut.template == full.template
    # more pieces for what is not in the texts, and the same surface
    text = "corpora that a language activates"
    before, after = encoded(full, [text])[0], encoded(cut, [text])[0]
    assert len(after) > len(before)
    assert {i for _, a, b in after for i in range(a, b)} == {i for _, a, b in before for i in range(a, b)}


def test_a_cut_tokenizer_is_saved_and_cut_again(full: TextEncoder, tmp_path: Path) -> None:
    texts = [*PAGES[:60], *LINES]
    cut = cut_to(full, texts).text
    cut.save(tmp_path)
    for again in (TextEncoder.load(tmp_path), TextEncoder.from_state(cut.to_state())):
        assert again.fingerprint() == cut.fingerprint() != full.fingerprint()
        assert encoded(again, PAGES) == encoded(cut, PAGES)
    smaller = cut_to(cut, LINES)
    assert encoded(smaller.text, LINES) == encoded(full, LINES)
    assert smaller.text.vocabulary == cut_to(full, LINES).text.vocabulary
    assert cut_to(cut, texts).text.fingerprint() == cut.fingerprint()


def test_unknown_characters_are_kept_apart_by_the_lowest_score(tmp_path: Path) -> None:
    """An unknown character scores 10 below the worst piece: without that piece others would be found around it."""
    full = make_tokenizer("sentencepiece unigram", tmp_path)
    library = sentencepiece.SentencePieceProcessor(model_proto=full.to_state()["model"])
    worst = min((library.get_score(i), library.id_to_piece(i)) for i in range(4, library.get_piece_size()))
    cut = cut_to(full, ["the cat"]).text
    left = sentencepiece.SentencePieceProcessor(model_proto=cut.to_state()["model"])
    scores = {left.id_to_piece(i): left.get_score(i) for i in range(left.get_piece_size()) if not left.is_control(i)}
    assert min(scores.values()) == worst[0]
    assert all(score == library.get_score(library.piece_to_id(piece)) for piece, score in scores.items())


def test_pieces_of_characters_that_are_no_piece_stay() -> None:
    assert needed_for_spelling(["a", "b", "ab", "xa", "xab"]) == {"a", "b", "xa", "xab"}
    pieces = ["a", "##b", "ab", "abc", "##ab", "##a", "ba", "[UNK]"]
    assert needed_for_spelling(pieces, "##") == {"a", "##b", "##a", "abc", "ba", "[UNK]"}


@pytest.mark.parametrize("model", ["word piece", "byte level", "unigram"])
def test_the_file_of_the_hub_stays_whole(model: str, tmp_path: Path) -> None:
    """Numbers without gaps, by which special tokens are still found, and merges of pieces that are there."""
    full = make_tokenizer(model, tmp_path)
    before = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    cut = cut_to(full, LINES).text
    cut.save(tmp_path / "cut")
    after = Tokenizer.from_file(str(tmp_path / "cut/tokenizer.json"))
    assert sorted(after.get_vocab().values()) == list(range(after.get_vocab_size()))
    for line in LINES:
        assert after.encode(line, "the dog").tokens == before.encode(line, "the dog").tokens
        assert after.decode(after.encode(line).ids) == before.decode(before.encode(line).ids)
    if model == "byte level":
        pieces = json.loads(after.to_str())["model"]
        merged = {piece for piece in pieces["vocab"] if len(piece) > 1 and piece not in SPECIALS}
        assert {left + right for left, right in pieces["merges"]} == merged
    reopened = open_tokenizer(tmp_path / "cut/tokenizer.json")
    assert encoded(reopened, LINES) == encoded(full, LINES)
    assert len(reopened.vocabulary) == len(cut.vocabulary)


def test_special_tokens_have_their_own_names(tmp_path: Path) -> None:
    full = make_tokenizer("word piece", tmp_path)
    cut = cut_to(full, ["the cat"]).text
    assert full.tokenizer is not None and cut.tokenizer is not None
    assert cut.tokenizer.to_state()["special"] == full.tokenizer.to_state()["special"]
    assert cut.tokenizer.describe() == full.tokenizer.describe() == "WordPiece, lower-cased"


def test_words_that_begin_are_told_from_what_continues_them(full: TextEncoder) -> None:
    assert full.tokenizer is not None
    words = {full.tokenizer.word_of(symbol) for symbol in full.vocabulary.symbols}
    assert "the" in words and None in words


def refused(encoder: TextEncoder) -> str:
    with pytest.raises(InputError) as error:
        trim_text(encoder, np.ones(len(encoder.vocabulary), np.bool_))
    assert "\n" not in str(error.value)
    return str(error.value)


def test_what_cannot_be_cut_is_refused_in_one_line(tmp_path: Path) -> None:
    special = SpecialTokens("<s>", "<pad>", "</s>", "<unk>")
    words = {token: i for i, token in enumerate([*special.to_list()[:4], "cat"])}
    library = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    library.save(str(tmp_path / "tokenizer.json"))
    assert refused(open_tokenizer(tmp_path / "tokenizer.json")) == (
        "--trim-vocabulary: a tokenizer of the kind WordLevel cannot lose pieces"
    )
    bpe = Tokenizer(models.BPE({**words, "c": 5, "a</w>": 6, "ca</w>": 7}, [("c", "a</w>")], end_of_word_suffix="</w>"))
    bpe.pre_tokenizer = pre_tokenizers.Whitespace()
    bpe.save(str(tmp_path / "tokenizer.json"))
    assert "marks where words continue or end" in refused(open_tokenizer(tmp_path / "tokenizer.json"))
    (tmp_path / "text.txt").write_text("\n".join(LINES * 5), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text.txt"), model_prefix=str(tmp_path / "word"), vocab_size=30, model_type="word",
        hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip
    assert "a SentencePiece model of whole words cannot lose pieces" in refused(open_tokenizer(tmp_path / "word.model"))
    without = TextEncoder(None, Vocabulary.from_pieces(["a"]), Template(2, token_types=False))
    assert "--trim-vocabulary: there is no tokenizer" in refused(without)
