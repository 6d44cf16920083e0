"""SentencePiece models (XLM-R and many-language encoders), through the ``sentencepiece`` library.

The library's ids are mapped to the vocabulary's through the piece string, once, as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import sentencepiece

from skill_plugin.errors import InputError
from skill_plugin.text.library_json import apart, of_sentencepiece
from skill_plugin.text.ragged import Ragged
from skill_plugin.text.tokenizer import INKLESS, Encoding, IntArray, trim_spaces
from skill_plugin.text.trimming.sentencepiece_model import trim_sentencepiece_model
from skill_plugin.text.vocabulary import MASK, SPACE, SPECIALS, Vocabulary

# what the usual normalisations of SentencePiece read as a space although it has ink
_READ_AS_SPACE = str.maketrans({SPACE: " ", "\ufffd": " "})
_PRIVATE_USE = range(0xE000, 0xF900)


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
        pieces = _all_pieces(self._processor)
        self._table = np.array([vocabulary.index(piece) for piece in pieces], np.int32)
        self._table[self._processor.unk_id()] = vocabulary.unk
        self._ink = np.array([bool(piece.strip(SPACE + INKLESS)) for piece in pieces])
        self._ink[self._processor.unk_id()] = False
        self._several: dict[str, bool] = {}

    @cached_property
    def _lead(self) -> str:
        """A character of no piece: set before a text, it keeps the text's pieces apart from the leading space."""
        used = set("".join(_all_pieces(self._processor)))
        return next(chr(code) for code in _PRIVATE_USE if chr(code) not in used)

    def encode_batch(self, texts: Sequence[str], continuing: bool = False) -> list[Encoding]:
        lead = self._lead if continuing else ""
        return [self._encode(text, lead) for text in texts]

    def encode_ids(self, texts: Sequence[str]) -> Ragged:
        return Ragged.of_lists(self._processor.encode(list(texts), num_threads=1)).mapped(self._table)

    def _encode(self, text: str, lead: str) -> Encoding:
        found, ranges = _pieces_and_offsets(self._processor, lead + text)
        ids, offsets = np.array(found, np.int64), np.array(ranges, np.int32).reshape(-1, 2)
        # an unknown piece stands for characters of the text itself, and for ink only where it is part of an expansion
        ink = self._ink[ids] | ((ids == self._processor.unk_id()) & (offsets[:, 0] == offsets[:, 1]))
        before = offsets[:, 0] < len(lead)
        offsets = trim_spaces(text.translate(_READ_AS_SPACE), np.maximum(offsets - len(lead), 0))
        if lead:
            # an unknown character at the start of the text shares its <unk> with the lead
            kept = ~before | (offsets[:, 0] < offsets[:, 1])
            if self._begins_unknown(lead, text):
                shared = int(np.count_nonzero(before)) - 1
                kept[shared] = ink[shared] = True
            ids, offsets, ink = ids[kept], offsets[kept], ink[kept]
        return Encoding(self._table[ids], _whole_expansions(offsets, ink))

    def _begins_unknown(self, lead: str, text: str) -> bool:
        """Whether the text's first character becomes several of which the first has no piece: the library gives the
        ``<unk>`` that this one shares with the lead the range of the lead alone."""
        if not text or not self._becomes_several(text[0]):
            return False
        pieces = self._processor.encode(lead + text, out_type=str)
        first: str = next((piece for piece in pieces if lead in piece), lead)  # none where bytes stand for it
        return not first.endswith(lead)

    def _becomes_several(self, character: str) -> bool:
        known = self._several.get(character)
        if known is None:
            known = self._several[character] = len(self._processor.normalize(character).strip(SPACE + " ")) > 1
        return known

    def to_state(self) -> dict[str, str | bool | bytes | list[str]]:
        return {"model": self._model}

    @classmethod
    def from_state(cls, state: dict[str, Any], vocabulary: Vocabulary) -> SentencePieceTokenizer:
        return cls(state["model"], vocabulary)

    def trim(self, occurring: npt.NDArray[np.bool_]) -> tuple[dict[str, Any], npt.NDArray[np.bool_]]:
        # pieces that the vocabulary lacks: where texts have some, others would be found without them
        unknown = (self._table == Vocabulary.unk) & occurring[Vocabulary.unk]
        pieces = np.array(_all_pieces(self._processor), object)
        model = trim_sentencepiece_model(self._model, set(pieces[occurring[self._table] | unknown]))
        left = set(_all_pieces(load_processor(model)))
        kept = np.zeros(len(occurring), np.bool_)
        kept[self._table[[piece in left for piece in pieces]]] = True
        return {"model": model}, kept

    def library_json(self, vocabulary: Vocabulary) -> tuple[str, list[str]]:
        names = [apart(name) for name in (*SPECIALS, MASK)]
        json = of_sentencepiece(self._model, self._processor.normalize, names, vocabulary)
        return json, names if vocabulary.mask is not None else names[:-1]

    def word_of(self, symbol: str) -> str | None:
        return symbol[1:] if symbol.startswith(SPACE) else None

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


def list_pieces(model: bytes) -> list[str]:
    """A model's pieces in order without its control and unknown symbols: fairseq's order, as in XLM-R's dict.txt."""
    processor = load_processor(model)
    return [
        piece
        for i, piece in enumerate(_all_pieces(processor))
        if not processor.is_control(i) and not processor.is_unknown(i)
    ]


def list_all_pieces(model: bytes) -> list[str]:
    """All of a model's pieces, by its own ids."""
    return _all_pieces(load_processor(model))


def _all_pieces(processor: Any) -> list[str]:
    return list(processor.id_to_piece(list(range(processor.get_piece_size()))))


def _whole_expansions(offsets: IntArray, ink: np.ndarray[Any, np.dtype[np.bool_]]) -> IntArray:
    """Gives every piece of a character that becomes several (``ﷺ``, bytes) that character's range.

    Args:
        offsets: int32 [T, 2]; the library gives the range to the last such piece, the others are empty at its start.
        ink: bool [T], whether a piece has ink of its own.
    """
    empty = offsets[:, 0] == offsets[:, 1]
    if not (empty & ink).any():
        return offsets
    last = len(offsets) - 1
    following = np.minimum.accumulate(np.where(empty, last, np.arange(last + 1))[::-1])[::-1]
    parts = empty & ink & (offsets[following, 0] == offsets[:, 0])
    return np.where(parts[:, None], offsets[following], offsets)


def _pieces_and_offsets(processor: Any, text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Ids of the model and ranges of characters; older releases of the library name this otherwise."""
    if hasattr(processor, "EncodeAsOffsetMapping"):
        found = processor.EncodeAsOffsetMapping(text)
        return found["ids"], found["offsets"]
    pieces = processor.encode(text, out_type="immutable_proto").pieces
    return [p.id for p in pieces], [(p.begin, p.end) for p in pieces]
