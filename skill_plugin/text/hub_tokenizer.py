"""Tokenizers of Hugging Face's ``tokenizers`` library: WordPiece (BERT), byte-level BPE (RoBERTa), unigram (XLM-R)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from json import dumps
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer as Library
from tokenizers.decoders import ByteLevel
from tokenizers.models import BPE, WordPiece

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import parse_json
from skill_plugin.text.library_json import apart, renumber, set_apart
from skill_plugin.text.ragged import Ragged
from skill_plugin.text.tokenizer import Encoding, cover_marks, trim_spaces
from skill_plugin.text.trimming.tokenizer_json import trim_tokenizer_json
from skill_plugin.text.vocabulary import MASK, Vocabulary

_SPACE = "\u0120"  # as byte-level BPE writes it: Ġ


@dataclass(frozen=True)
class SpecialTokens:
    """The names that the source gives the special symbols; ``mask`` is empty if it has none."""

    bos: str
    pad: str
    eos: str
    unk: str
    mask: str = ""

    def to_list(self) -> list[str]:
        """All of them, in the order of the fields."""
        return list(astuple(self))


class HubTokenizer:
    """A ``tokenizer.json`` over a vocabulary.

    Args:
        json: the text of the ``tokenizer.json``.
        special: the source's names of the special symbols.
        vocabulary: where ids come from; tokens that it lacks become ``<unk>``.
        numbered: whether the vocabulary's symbols are the tokenizer's ids as decimal numbers (fairseq's RoBERTa
            with GPT-2's BPE).

    Attributes:
        numbered: see there.

    Raises:
        InputError: the text is not a ``tokenizer.json``.
    """

    kind = "tokenizers"

    def __init__(self, json: str, special: SpecialTokens, vocabulary: Vocabulary, numbered: bool = False) -> None:
        self._json, self._special, self.numbered = json, special, numbered
        self._library = _load_for_texts(set_apart(json, special.to_list()))
        own = {apart(name): name for name in special.to_list()}
        tokens = self._library.get_vocab(with_added_tokens=True)
        self._tokens = {own.get(token, token): i for token, i in tokens.items()}  # as the source names them
        self._table = self._make_table(vocabulary)
        self._inkless = self._make_inkless()

    def _make_table(self, vocabulary: Vocabulary) -> np.ndarray[Any, np.dtype[np.int32]]:
        tokens = self._tokens
        table = np.full(max(tokens.values(), default=-1) + 1, vocabulary.unk, np.int32)
        for token, i in tokens.items():
            table[i] = vocabulary.index(str(i) if self.numbered else token)
        special = self._special
        roles = {special.unk: vocabulary.unk, special.bos: vocabulary.bos, special.eos: vocabulary.eos}
        roles |= {special.pad: vocabulary.pad, special.mask: vocabulary.index(MASK)}
        for token, i in roles.items():
            if token and token in tokens:
                table[tokens[token]] = i
        return table

    def _make_inkless(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """By id, whether a piece is only spaces. Byte-level BPE puts such pieces even where a text has no space."""
        inkless = np.zeros(len(self._table), np.bool_)
        if isinstance(self._library.model, BPE) and '"ByteLevel"' in self._json:
            for token, i in self._library.get_vocab(with_added_tokens=False).items():
                inkless[i] = not token.strip(_SPACE)
        return inkless

    @cached_property
    def _continuing_library(self) -> Library:
        canonical = self._library.to_str()
        continuing = _without_prefix(canonical)
        return self._library if continuing == canonical else _load_for_texts(continuing)

    def encode_batch(self, texts: Sequence[str], continuing: bool = False) -> list[Encoding]:
        library = self._continuing_library if continuing else self._library
        encodings = library.encode_batch(list(texts), add_special_tokens=False)
        return [self._encoding(text, found) for text, found in zip(texts, encodings, strict=True)]

    def encode_ids(self, texts: Sequence[str]) -> Ragged:
        encodings = self._library.encode_batch_fast(list(texts), add_special_tokens=False)
        return Ragged.of_lists([found.ids for found in encodings]).mapped(self._table)

    def _encoding(self, text: str, found: Any) -> Encoding:
        theirs = np.array(found.ids, np.int64)
        ids = self._table[theirs] if len(theirs) else np.zeros(0, np.int32)
        offsets = np.array(found.offsets, np.int32).reshape(-1, 2)
        if len(theirs):
            offsets[:, 1] = np.where(self._inkless[theirs], offsets[:, 0], offsets[:, 1])
        return Encoding(ids, cover_marks(text, trim_spaces(text, offsets)))

    def to_state(self) -> dict[str, str | bool | bytes | list[str]]:
        return {"json": self._json, "special": self._special.to_list(), "numbered": self.numbered}

    @classmethod
    def from_state(cls, state: dict[str, Any], vocabulary: Vocabulary) -> HubTokenizer:
        return cls(state["json"], SpecialTokens(*state["special"]), vocabulary, state["numbered"])

    def trim(self, occurring: npt.NDArray[np.bool_]) -> tuple[dict[str, Any], npt.NDArray[np.bool_]]:
        tokens = self._tokens
        # pieces that the vocabulary lacks: where texts have some, others would be found without them
        unknown = (self._table == Vocabulary.unk) & occurring[Vocabulary.unk]
        wanted = {token for token, i in tokens.items() if occurring[self._table[i]] or unknown[i]}
        # what the vocabulary calls by their numbers keeps them
        json = trim_tokenizer_json(load_library(self._json).to_str(), wanted, keep_ids=self.numbered)
        kept = np.zeros(len(occurring), np.bool_)
        kept[[self._table[tokens[token]] for token in load_library(json).get_vocab(with_added_tokens=True)]] = True
        return {"json": json, "special": self._special.to_list(), "numbered": self.numbered}, kept

    def library_json(self, vocabulary: Vocabulary) -> tuple[str, list[str]]:
        tokens = self._library.get_vocab(with_added_tokens=True)
        wanted = {token: int(self._table[i]) for token, i in tokens.items()}
        names = self._special.to_list()
        names = names if set_apart(self._json, names) is self._json else [apart(name) for name in names]
        return renumber(self._library.to_str(), wanted, names, vocabulary), names

    def word_of(self, symbol: str) -> str | None:
        token = self._library.id_to_token(int(symbol)) if self.numbered and symbol.isdecimal() else symbol
        if token is None:
            return None
        model = self._library.model
        if isinstance(model, WordPiece):
            return None if token.startswith(model.continuing_subword_prefix) else token
        if isinstance(model, BPE) and '"ByteLevel"' in self._json:
            return ByteLevel().decode([token])[1:] if token.startswith(_SPACE) else None
        return token[1:] if token.startswith("\u2581") else None

    def describe(self) -> str:
        model = type(self._library.model).__name__
        name = {"BPE": "byte-level BPE", "Unigram": "unigram"}.get(model, model)
        lower = model == "WordPiece" and getattr(self._library.normalizer, "lowercase", False)
        return f"{name}, lower-cased" if lower else name


def load_library(json: str) -> Library:
    """The library's object, without the truncation and padding that such files often carry.

    Raises:
        InputError: the text is not a ``tokenizer.json``.
    """
    try:
        library = Library.from_str(json)
    except Exception as error:  # noqa: BLE001 - the library raises nothing narrower
        raise InputError(f"not a tokenizer.json ({_first_line(error)})") from None
    library.no_truncation()
    library.no_padding()
    return library


def _load_for_texts(json: str) -> Library:
    library = load_library(json)
    # "[SEP]" in a text is text: only the template makes special tokens
    library.encode_special_tokens = True
    # without special tokens it only trims offsets, by one letter too many if the tokenizer put a space before the text
    library.post_processor = None
    return library


def _without_prefix(json: str) -> str:
    """Changes a ``tokenizer.json`` so that it puts no space before a text; the same string if it puts none."""
    state = parse_json(json)
    changed = [_drop_prefix(part) for part in (state.get("normalizer"), state.get("pre_tokenizer")) if part]
    return dumps(state, ensure_ascii=False) if any(changed) else json


def _drop_prefix(part: dict[str, Any]) -> bool:
    if part["type"] == "Sequence":
        changed = [_drop_prefix(inner) for inner in part.get("normalizers") or part.get("pretokenizers") or ()]
        return any(changed)
    # the library's components that put a space before a text, each with the value that stops it
    for kind, key, none in (
        ("ByteLevel", "add_prefix_space", False),
        ("Metaspace", "prepend_scheme", "never"),
        ("Prepend", "prepend", ""),
    ):
        if part["type"] == kind and part.get(key, none) != none:
            part[key] = none
            return True
    return False


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
