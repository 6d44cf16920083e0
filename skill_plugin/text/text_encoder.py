"""Turns text into ids: the tokenizer, vocabulary and template that belong to one pretrained encoder."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, nearest, reason_of
from skill_plugin.files.json_file import read_json, read_text
from skill_plugin.text.hub_tokenizer import HubTokenizer
from skill_plugin.text.ragged import Ragged
from skill_plugin.text.sentencepiece_tokenizer import SentencePieceTokenizer
from skill_plugin.text.template import Template
from skill_plugin.text.tokenizer import Encoding, Tokenizer, replace_surrogates
from skill_plugin.text.vocabulary import MASK, SPACE, SPECIALS, Vocabulary

EncoderState = dict[str, Any]
_VERSION = 1
_NONE = "none"
_BYTE = re.compile("<0x[0-9A-F]{2}>")  # SentencePiece's pieces for signs that it has no others for
_MANIFEST = "text_encoder.json"
# parts of a tokenizer's state that are files of their own when it is saved to a folder
_FILES = {"model": "sentencepiece.bpe.model", "json": "tokenizer.json"}


class TextEncoder:
    """A tokenizer with the vocabulary and the template that belong to it.

    Args:
        tokenizer: makes ids of ``vocabulary``; None if the encoder or data folder came without one.
        vocabulary: symbols in fairseq's order.
        template: how texts become one sequence.
    """

    def __init__(self, tokenizer: Tokenizer | None, vocabulary: Vocabulary, template: Template) -> None:
        self.tokenizer = tokenizer
        self.vocabulary = vocabulary
        self.template = template

    @property
    def text_to_text(self) -> bool:
        """Whether it is that of a text-to-text model."""
        return not self.template.begins

    def read_by(self, text_to_text: bool) -> TextEncoder:
        """The same for a model of one sort or the other; one with heads reads what is mT5's as XLM-R reads its own."""
        if text_to_text == self.text_to_text:
            return self
        template = Template.of_text_to_text() if text_to_text else Template(2, token_types=False)
        return TextEncoder(self.tokenizer, self.vocabulary, template)

    def encode(self, text: str) -> Encoding:
        """Ids and character offsets of one text, without special tokens."""
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> list[Encoding]:
        """Ids and character offsets of texts, without special tokens, in order.

        Raises:
            InputError: there is no tokenizer.
        """
        return self._known_tokenizer().encode_batch([replace_surrogates(text) for text in texts])

    def encode_ids(self, texts: Sequence[str]) -> Ragged:
        """The ids of ``encode_batch`` alone, which takes a small part of its time.

        Raises:
            InputError: there is no tokenizer.
        """
        return self._known_tokenizer().encode_ids([replace_surrogates(text) for text in texts])

    def spell(self, ids: Iterable[int]) -> str:
        """What ids say, without special symbols: the reverse of ``encode``, but for what the tokenizer normalises."""
        symbols = (self.vocabulary.symbols[i] for i in ids if i >= len(SPECIALS))
        runs = (_spell_bytes(run) if are_bytes else "".join(run) for are_bytes, run in groupby(symbols, _is_byte))
        return "".join(runs).replace(SPACE, " ").strip()

    def _known_tokenizer(self) -> Tokenizer:
        if self.tokenizer is None:
            raise InputError("there is no tokenizer: this encoder or data folder came without one")
        return self.tokenizer

    def to_state(self) -> EncoderState:
        """Plain values for a checkpoint: str, int, bool, bytes, lists of str. ``weights_only=True`` loads them."""
        return {
            "version": _VERSION,
            "tokenizer": _NONE if self.tokenizer is None else self.tokenizer.kind,
            **({} if self.tokenizer is None else self.tokenizer.to_state()),
            "symbols": "\n".join(self.vocabulary.symbols),  # one string: a list of 250,002 loads 25 times slower
            "separators": self.template.separators,
            "token_types": self.template.token_types,
            **({} if self.template.begins else {"begins": False}),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> TextEncoder:
        """The reverse of ``to_state``.

        Raises:
            InputError: the state has another version, or a part is missing or damaged.
        """
        if state.get("version") != _VERSION:
            raise InputError(f"text encoder of version {state.get('version')!r}, expected {_VERSION}")
        try:
            vocabulary = Vocabulary(state["symbols"].split("\n"))
            tokenizer = _make_tokenizer(dict(state), vocabulary)
            template = Template(state["separators"], state["token_types"], state.get("begins", True))
            return cls(tokenizer, vocabulary, template)
        except KeyError as error:
            raise InputError(f"text encoder lacks its part {error}") from None
        except (TypeError, ValueError, AttributeError) as error:
            raise InputError(f"a part of the text encoder is damaged ({error})") from None

    def fingerprint(self) -> str:
        """sha256 over everything that decides which ids a text or a sequence has."""
        digest = hashlib.sha256()
        for name, value in sorted(self.to_state().items()):
            part = value if isinstance(value, bytes) else json.dumps(value).encode()
            digest.update(f"{name}:{len(part)}:".encode() + part)
        return digest.hexdigest()

    def save(self, folder: str | PathLike[str]) -> None:
        """Writes ``dict.txt``, the tokenizer's own file and ``text_encoder.json`` into a folder."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        state = self.to_state()
        del state["symbols"]
        for part, name in _FILES.items():
            if part in state:
                value = state.pop(part)
                (folder / name).write_bytes(value if isinstance(value, bytes) else value.encode())
        self.vocabulary.write_dict_txt(folder / "dict.txt")
        state["mask"] = self.vocabulary.symbols[-1] == MASK
        (folder / _MANIFEST).write_text(json.dumps(state, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> TextEncoder:
        """Reads what ``save`` wrote.

        Raises:
            InputError: a file is missing or is not what ``save`` writes.
        """
        folder = Path(folder)
        state: EncoderState = read_json(folder / _MANIFEST)
        tokenizer = folder / _MANIFEST
        if (folder / _FILES["model"]).exists():
            tokenizer = folder / _FILES["model"]
            state["model"] = _read_bytes(tokenizer)
        if (folder / _FILES["json"]).exists():
            tokenizer = folder / _FILES["json"]
            state["json"] = read_text(tokenizer)
        vocabulary = Vocabulary.from_dict_txt(folder / "dict.txt", mask=state.pop("mask", False))
        state["symbols"] = "\n".join(vocabulary.symbols)
        try:
            return cls.from_state(state)
        except InputError as error:
            its_own = error.message.startswith("not a ")  # model or tokenizer.json, as the libraries say it
            raise InputError(error.message, tokenizer if its_own else folder / _MANIFEST) from None


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(reason_of(error), path) from None


def _make_tokenizer(state: EncoderState, vocabulary: Vocabulary) -> Tokenizer | None:
    kinds = (SentencePieceTokenizer.kind, HubTokenizer.kind, _NONE)
    kind = state["tokenizer"]
    if kind == SentencePieceTokenizer.kind:
        return SentencePieceTokenizer.from_state(state, vocabulary)
    if kind == HubTokenizer.kind:
        return HubTokenizer.from_state(state, vocabulary)
    if kind == _NONE:
        return None
    raise InputError(f"unknown tokenizer {kind!r}{nearest(str(kind), kinds)}")


def _is_byte(symbol: str) -> bool:
    """Whether a piece is a byte of a sign that has no piece, as ``<0xE2>``."""
    return _BYTE.fullmatch(symbol) is not None


def _spell_bytes(symbols: Iterable[str]) -> str:
    """What such pieces say, with U+FFFD for what is no UTF-8."""
    return bytes(int(symbol[3:5], 16) for symbol in symbols).decode(errors="replace")
