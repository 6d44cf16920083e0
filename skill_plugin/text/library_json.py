"""Tokenizers as a ``tokenizer.json`` whose ids are a vocabulary's, for programs that know nothing of vocabularies.

Axis: V ids of the vocabulary.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from json import dumps
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import parse_json
from skill_plugin.text.trimming.sentencepiece_model import parse_sentencepiece_model
from skill_plugin.text.vocabulary import SENTINEL, SPACE, Vocabulary

_UNIGRAM = 1  # TrainerSpec.ModelType
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6  # SentencePiece.Type


def apart(token: str) -> str:
    """A special symbol as no text can have it: the model of a tokenizer sees no spaces."""
    return " ".join(token)


def set_apart(json: str, special: Sequence[str]) -> str:
    """A ``tokenizer.json`` that finds no special symbol in a text; the same string where it finds none as it is.

    A unigram model has them among its pieces, with the highest score of all, so that "<s>" in a text would be one
    whatever is said of added tokens. WordPiece and byte-level BPE cut such signs to pieces before they look.
    """
    if '"Unigram"' not in json:
        return json
    for name in filter(None, special):
        json = json.replace(dumps(name), dumps(apart(name)))
    return json


def renumber(json: str, wanted: Mapping[str, int], special: Sequence[str], vocabulary: Vocabulary) -> str:
    """A ``tokenizer.json`` with the ids of a vocabulary.

    Args:
        json: of a tokenizer.
        wanted: the vocabulary's id of each of its pieces, ``<unk>`` for one that the vocabulary lacks.
        special: its names of ``<s>``, ``<pad>``, ``</s>``, ``<unk>`` and, where there is one, ``<mask>``.
        vocabulary: the vocabulary.
    """
    state = parse_json(json)
    model, roles = state["model"], _roles(special, vocabulary)
    if model["type"] == "Unigram":
        scores = dict(model["vocab"])
        ids = _place(scores, wanted, roles, vocabulary)
        model |= {"vocab": _listed(ids, scores), "unk_id": vocabulary.unk}
    else:
        ids = model["vocab"] = _place(model["vocab"], wanted, roles, vocabulary)
    kept = [token for token in state.get("added_tokens") or () if not token["special"] and token["content"] in ids]
    added = [{**token, "id": ids[token["content"]]} for token in kept] + _special_tokens(roles)
    state |= {"truncation": None, "padding": None, "post_processor": None}
    state["added_tokens"] = sorted(added, key=lambda token: token["id"])
    return dumps(state, ensure_ascii=False)


def of_sentencepiece(
    model: bytes, normalise: Callable[[str], str], special: Sequence[str], vocabulary: Vocabulary
) -> str:
    """A ``tokenizer.json`` that does what a SentencePiece model does, with the ids of a vocabulary.

    But for marks: those that follow a letter in another order than Unicode's canonical one are put into that, and one
    that follows a sign which the model replaces, as a full-width letter, is lost.

    Args:
        model: the bytes of a unigram model.
        normalise: what the model makes of a text before it looks for pieces.
        special, vocabulary: as for ``renumber``.

    Raises:
        InputError: a model of a kind, or with symbols, that a ``tokenizer.json`` cannot follow.
    """
    proto = parse_sentencepiece_model(model)
    if proto.trainer_spec.model_type != _UNIGRAM:
        raise InputError("a SentencePiece model that is not unigram has no tokenizer.json that does the same")
    known = (_NORMAL, _UNKNOWN, _CONTROL, _BYTE)
    # mT5's symbols for corrupted spans, which nobody writes, are ids without a piece
    if odd := next((p.piece for p in proto.pieces if p.type not in known and SENTINEL not in p.piece), None):
        raise InputError(f"the SentencePiece model's own symbol {odd!r} has no counterpart in a tokenizer.json")
    scores = {p.piece: p.score for p in proto.pieces if p.type == _NORMAL}
    # a text that spells a byte, as "<0x41>", is the six signs: these are likelier
    unlikely = (len("<0x41>") + 2) * min(scores.values(), default=0.0)
    scores |= {p.piece: unlikely for p in proto.pieces if p.type == _BYTE}
    roles = _roles(special, vocabulary)
    ids = _place(scores, {piece: vocabulary.index(piece) for piece in scores}, roles, vocabulary)
    prefix = "always" if proto.normalizer_spec.add_dummy_prefix else "never"
    metaspace = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": prefix, "split": False}
    state = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": _special_tokens(roles),
        "normalizer": {"type": "Sequence", "normalizers": _normalizers(proto.normalizer_spec, normalise)},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [metaspace, *_bytes_apart(proto)]},
        "post_processor": None,
        # bytes of a sign, if it was written in some, are the sign again
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, metaspace]},
        "model": {
            "type": "Unigram",
            "unk_id": vocabulary.unk,
            "vocab": _listed(ids, scores),
            "byte_fallback": bool(proto.trainer_spec.byte_fallback),
        },
    }
    return dumps(state, ensure_ascii=False)


def _roles(special: Sequence[str], vocabulary: Vocabulary) -> dict[str, int]:
    """The ids of the special symbols."""
    ids = (vocabulary.bos, vocabulary.pad, vocabulary.eos, vocabulary.unk, vocabulary.mask)
    return {name: i for name, i in zip(special, ids, strict=False) if name and i is not None}


def _place(
    pieces: Iterable[str], wanted: Mapping[str, int], roles: Mapping[str, int], vocabulary: Vocabulary
) -> dict[str, int]:
    """An id for every piece: the vocabulary's, or one from V on where it lacks the piece, since without such pieces
    others would be found."""
    ids, taken, behind = dict(roles), set(roles.values()), len(vocabulary)
    for piece in pieces:
        if piece in roles:
            continue
        place = wanted[piece]
        if place == vocabulary.unk or place in taken:
            place, behind = behind, behind + 1
        taken.add(place)
        ids[piece] = place
    return ids


def _listed(ids: Mapping[str, int], scores: Mapping[str, float]) -> list[list[str | float]]:
    """The pieces of a unigram model, numbered by their place; ids without a piece get one that no text has."""
    lowest = min(scores.values())
    listed: list[list[str | float]] = [[f"no piece {i}", lowest] for i in range(max(ids.values()) + 1)]
    for piece, i in ids.items():
        listed[i] = [piece, scores.get(piece, lowest)]
    return listed


def _special_tokens(roles: Mapping[str, int]) -> list[dict[str, Any]]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return [
        {"id": i, "content": name, **flags, "special": True} for name, i in sorted(roles.items(), key=lambda o: o[1])
    ]


def _normalizers(spec: Any, normalise: Callable[[str], str]) -> list[dict[str, Any]]:
    """What SentencePiece does to a text before it looks for pieces, in its order."""
    steps: list[dict[str, Any]] = []
    if spec.precompiled_charsmap:
        # the library looks up characters of up to five bytes with their marks, longer ones sign by sign
        steps += [{"type": "NFC"}, *_voiced_kana(normalise)]
        charsmap = base64.b64encode(spec.precompiled_charsmap).decode()
        steps.append({"type": "Precompiled", "precompiled_charsmap": charsmap})
    if spec.remove_extra_whitespaces:
        steps += [_replace(r"\A +| +\z", ""), _replace(" {2,}", " ")]
    if spec.escape_whitespaces:
        steps.append(_replace(" ", SPACE))
    if spec.add_dummy_prefix:  # which Metaspace does not put before one that is there
        steps.append(_replace(rf"\A{SPACE}", 2 * SPACE))
    return steps


def _bytes_apart(proto: Any) -> list[dict[str, Any]]:
    """What keeps characters of no piece, which become bytes, apart: the library would give all bytes of several in a
    row the range of the whole row. No piece crosses such a character, so that the pieces around it stay as they are."""
    if not proto.trainer_spec.byte_fallback:
        return []
    used = sorted(set("".join(piece.piece for piece in proto.pieces if piece.type == _NORMAL)))
    known = "".join(f"\\x{{{ord(character):X}}}" for character in used)
    return [{"type": "Split", "pattern": {"Regex": f"[^{known}]"}, "behavior": "Isolated", "invert": False}]


def _voiced_kana(normalise: Callable[[str], str]) -> list[dict[str, Any]]:
    """Half-width kana with their marks of voice, which are no marks to NFC."""
    pairs = [chr(kana) + mark for kana in range(0xFF66, 0xFF9E) for mark in "\uff9e\uff9f"]
    whole = {pair: normalise(pair).strip(SPACE + " ") for pair in pairs}
    return [_replace(pair, one) for pair, one in whole.items() if len(one) == 1]


def _replace(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
