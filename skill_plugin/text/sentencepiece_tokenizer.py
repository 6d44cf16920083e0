"""SentencePiece models (XLM-R and many-language encoders), through the ``sentencepiece`` library.

The library's ids are mapped to the vocabulary's through the piece string, once, as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece

from skill_plugin.errors import InputError
from skill_plugin.text.tokenizer import Encoding, trim_spaces
from skill_plugin.text.vocabulary import Vocabulary


class SentencePieceTokenizer:
    """A SentencePiece model over a vocabulary.

    Args:
        model: the bytes of the ``.model`` file.
        vocabulary: where the pieces' ids come from; pieces that it lacks become ``<unk>``.

    Raises:
        InputError: the bytes are not a SentencePiece model.
    """

    kind = "sentencepiece"

    def __init__(self, model: bytes, vocabulary: Vocabulary) -> None:
        self._model = model
        self._processor = load_processor(model)
        self._table = np.array([vocabulary.index(p) for p in _all_pieces(self._processor)], np.int32)
        self._table[self._processor.unk_id()] = vocabulary.unk

    def encode_batch(self, texts: Sequence[str]) -> list[Encoding]:
        return [self._encode(text) for text in texts]

    def _encode(self, text: str) -> Encoding:
        ids, offsets = _pieces_and_offsets(self._processor, text)
        table_ids = self._table[np.array(ids, np.int64)] if ids else np.zeros(0, np.int32)
        return Encoding(table_ids, trim_spaces(text, np.array(offsets, np.int32).reshape(-1, 2)))

    def to_state(self) -> dict[str, str | bool | bytes | list[str]]:
        return {"model": self._model}

    @classmethod
    def from_state(cls, state: dict[str, Any], vocabulary: Vocabulary) -> SentencePieceTokenizer:
        return cls(state["model"], vocabulary)

    def describe(self) -> str:
        return "SentencePiece"


def read_sentencepiece_model(path: str | PathLike[str]) -> bytes:
    """The bytes of a SentencePiece model that is known to load.

    Raises:
        InputError: missing or not a SentencePiece model.
    """
    try:
        model = Path(path).read_bytes()
    except OSError as error:
        raise InputError(error.strerror or "cannot be read", path) from None
    try:
        load_processor(model)
    except InputError as error:
        raise InputError(error.message, path) from None
    return model


def load_processor(model: bytes) -> Any:
    """The library's object for a model's bytes."""
    try:
        processor: Any = sentencepiece.SentencePieceProcessor(model_proto=model)
        if not model or not processor.get_piece_size():
            raise RuntimeError("empty")
    except (RuntimeError, TypeError, ValueError, OSError):
        raise InputError("not a SentencePiece model") from None
    return processor


def sentencepiece_pieces(model: bytes) -> list[str]:
    """A model's pieces in order without its control and unknown symbols: fairseq's order, as in XLM-R's dict.txt."""
    processor = load_processor(model)
    return [
        piece
        for i, piece in enumerate(_all_pieces(processor))
        if not processor.is_control(i) and not processor.is_unknown(i)
    ]


def _all_pieces(processor: Any) -> list[str]:
    return list(processor.id_to_piece(list(range(processor.get_piece_size()))))


def _pieces_and_offsets(processor: Any, text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Ids of the model and ranges of characters; older releases of the library name this otherwise."""
    if hasattr(processor, "EncodeAsOffsetMapping"):
        found = processor.EncodeAsOffsetMapping(text)
        return found["ids"], found["offsets"]
    pieces = processor.encode(text, out_type="immutable_proto").pieces
    return [p.id for p in pieces], [(p.begin, p.end) for p in pieces]
