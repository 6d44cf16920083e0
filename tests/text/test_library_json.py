"""The library ``tokenizers`` finds the ids that we find, from a ``tokenizer.json`` alone."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library
from tokenizers import models, pre_tokenizers

from skill_plugin.errors import InputError
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import choose_template, find_tokenizer, open_tokenizer
from skill_plugin.text.trusted_offsets import TEXTS

ODD = (
    *TEXTS,
    "",
    " ",
    "  a  b ",
    "\u2581a \u2581 b",
    "<s> </s><pad> <unk> <mask> [CLS] [SEP]",
    "a\tb\nc",
    "\u200b\ufeff",
    "\ufffd",
)
# as macOS writes names of files: letters apart from their marks
ODD = (*ODD, *(unicodedata.normalize("NFD", text) for text in TEXTS))
# marks alone: of a sign that is replaced, as a full-width one, the library loses them
ANY = st.text("ab \u2581<s>[SEP]\t北é🙂", max_size=20) | st.text(
    st.characters(exclude_categories=("M", "Cs")), max_size=20
)


def library_of(encoder: TextEncoder) -> tuple[Library, list[str]]:
    """As another program would load it, with special symbols in a text taken as text."""
    assert encoder.tokenizer is not None
    json, names = encoder.tokenizer.library_json(encoder.vocabulary)
    library = Library.from_str(json)
    library.encode_special_tokens = True
    return library, names


def compare(encoder: TextEncoder, texts: Sequence[str]) -> None:
    library, names = library_of(encoder)
    assert len(names) == (4 if encoder.vocabulary.mask is None else 5)
    assert [library.token_to_id(name) for name in names][:4] == [0, 1, 2, 3]
    assert encoder.vocabulary.mask in (None, library.token_to_id(names[-1]))
    for text, encoding in zip(texts, encoder.encode_batch(texts), strict=True):
        found = library.encode(text, add_special_tokens=False)
        ids = [i if i < len(encoder.vocabulary) else encoder.vocabulary.unk for i in found.ids]
        assert ids == encoding.ids.tolist(), text


def test_of_both_tokenizers(encoder: TextEncoder) -> None:
    compare(encoder, ODD)


@settings(max_examples=60)
@given(text=ANY)
def test_of_any_text(encoder: TextEncoder, text: str) -> None:
    library, _ = library_of(encoder)
    found = [i if i < len(encoder.vocabulary) else 3 for i in library.encode(text, add_special_tokens=False).ids]
    assert found == encoder.encode(text).ids.tolist()


def test_of_a_unigram_model_of_the_library(tmp_path: Path) -> None:
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((sign, -5.0) for sign in "\u2581<>/abs"),
              ("ab", -6.0), ("<mask>", 0.0)]  # fmt: skip
    library = Library(models.Unigram(pieces, 3, False))
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    library.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    library.save(str(tmp_path / "tokenizer.json"))
    compare(open_tokenizer(tmp_path / "tokenizer.json"), ODD)


def test_bytes_that_were_written_are_signs_again(tmp_path: Path) -> None:
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the cat sat", "a dog", "< 0 x 4 1 A >"] * 20), model_prefix=str(tmp_path / "bytes"),
        vocab_size=290,
        hard_vocab_limit=False, byte_fallback=True, minloglevel=2,
    )  # fmt: skip
    encoder = open_tokenizer(tmp_path / "bytes.model")
    library, _ = library_of(encoder)
    for text in ("a 🙂 cat", "猫 sat", "é"):
        ids = encoder.encode(text).ids.tolist()
        assert library.decode(ids) == encoder.spell(ids) == text
    for text in ("a 潜艇艇 cat", "猫猫", "the迈齐^]-[\\dog"):  # each character's bytes have its own range
        found, ours = library.encode(text, add_special_tokens=False), encoder.encode(text)
        ranges = zip(found.tokens, found.offsets, ours.offsets.tolist(), strict=True)
        assert all(theirs == tuple(own) for token, theirs, own in ranges if token.startswith("<0x"))
    compare(encoder, [*ODD, "a 潜艇艇 cat", "<0x41>", "a<0x0A>dog"])


def test_of_a_vocabulary_that_lacks_pieces_and_has_others(sentencepiece_model: Path, tmp_path: Path) -> None:
    pieces = open_tokenizer(sentencepiece_model).vocabulary.symbols[4:-1]
    symbols = [*pieces[::-2], "madeupword0000"]
    (tmp_path / "dict.txt").write_text("".join(f"{symbol} 1\n" for symbol in symbols), encoding="utf-8")
    encoder = open_tokenizer(sentencepiece_model, tmp_path / "dict.txt")
    assert any(3 in one.ids for one in encoder.encode_batch(TEXTS[:1]))
    compare(encoder, ODD)


def test_of_gpt2s_numbers(tmp_path: Path) -> None:
    """RoBERTa's own files name no special symbols, and fairseq orders their pieces anew."""
    signs = sorted(pre_tokenizers.ByteLevel.alphabet())
    ids = {sign: number for number, sign in enumerate([*signs, "th", "the", "\u0120the"])}
    (tmp_path / "encoder.json").write_text(json.dumps(ids), encoding="utf-8")
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\nt h\nth e\n\u0120 the\n", encoding="utf-8")
    lines = [f"{number} 1\n" for number in sorted(ids.values(), reverse=True) if number != ids["b"]]
    (tmp_path / "dict.txt").write_text("".join([*lines, "madeupword0000 0\n"]), encoding="utf-8")
    encoder = open_tokenizer(tmp_path / "vocab.bpe", tmp_path / "dict.txt")
    compare(encoder, [*ODD, "the the b"])


def test_of_both_real_tokenizers(checkpoints: Path) -> None:
    for name in ("english", "multilingual"):
        source = find_tokenizer(checkpoints / name)
        assert source is not None
        vocabulary, _ = source.arrange()
        compare(TextEncoder(source.build(vocabulary), vocabulary, choose_template(source)), ODD)


def test_a_byte_pair_model_of_sentencepiece_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("\n".join(TEXTS * 3), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text.txt"), model_prefix=str(tmp_path / "bpe"), vocab_size=400, model_type="bpe",
        minloglevel=2, hard_vocab_limit=False,
    )  # fmt: skip
    encoder = open_tokenizer(tmp_path / "bpe.model")
    assert encoder.tokenizer is not None
    with pytest.raises(InputError, match="not unigram has no tokenizer\\.json"):
        encoder.tokenizer.library_json(encoder.vocabulary)
