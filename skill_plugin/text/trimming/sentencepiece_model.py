"""A SentencePiece model with fewer pieces.

The normalisation stays as it is. A unigram model (Kudo 2018) takes the way of the highest score through a text, so
pieces that are on no such way can go. The score of an unknown character is derived from the lowest score of all pieces,
and that of the user's own symbols from the highest, so these two pieces stay.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.text.trimming.needed_pieces import find_merges, needed_for_spelling

_NAMES = {1: "unigram", 2: "byte-pair encoding", 3: "whole words", 4: "characters"}  # TrainerSpec.ModelType
_UNIGRAM, _BPE, _CHARACTERS = 1, 2, 4
_NORMAL = 1  # SentencePiece.Type: what is neither unknown, control, user-defined, unused nor a byte
_IDS = ("unk_id", "bos_id", "eos_id", "pad_id")


def trim_sentencepiece_model(model: bytes, occurring: Collection[str]) -> bytes:
    """Takes pieces out of a model.

    Args:
        model: the bytes of a model that loads.
        occurring: the pieces that stay, with all that they and other texts need.

    Raises:
        InputError: a model of a kind that cannot lose pieces.
    """
    proto = parse_sentencepiece_model(model)
    kind = proto.trainer_spec.model_type
    if kind not in (_UNIGRAM, _BPE, _CHARACTERS):
        raise InputError(f"a SentencePiece model of {_NAMES.get(kind, 'an unknown kind')} cannot lose pieces")
    scores = {p.piece: p.score for p in proto.pieces if p.type == _NORMAL}
    kept = {piece for piece in occurring if piece in scores} | needed_for_spelling(scores)
    if kind == _BPE:
        every = {p.piece: p.score for p in proto.pieces}
        merges = find_merges(kept, lambda left, right: -every[left + right] if left + right in every else None)
        kept |= {left + right for left, right in merges}
    kept |= {min(scores, key=scores.__getitem__), max(scores, key=scores.__getitem__)}
    places = [i for i, p in enumerate(proto.pieces) if p.type != _NORMAL or p.piece in kept]
    pieces = [proto.pieces[i] for i in places]
    new = {old: i for i, old in enumerate(places)}
    trimmed = type(proto)()
    trimmed.pieces.extend(pieces)
    for part in ("trainer_spec", "normalizer_spec", "denormalizer_spec"):  # without tests of itself on other texts
        if proto.HasField(part):
            getattr(trimmed, part).CopyFrom(getattr(proto, part))
    trimmed.trainer_spec.vocab_size = len(pieces)
    for name in _IDS:
        old = getattr(proto.trainer_spec, name)
        setattr(trimmed.trainer_spec, name, new.get(old, -1))
    return bytes(trimmed.SerializeToString(deterministic=True))


def parse_sentencepiece_model(model: bytes) -> Any:
    """What a model's file says, by the messages that the library ships for a release of protobuf.

    Raises:
        InputError: another release of protobuf is needed.
    """
    try:
        from sentencepiece import sentencepiece_model_pb2
    except Exception as error:  # noqa: BLE001 - protobuf says in its own class that it is too old
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"to read a SentencePiece model needs another release of protobuf ({reason})") from None
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model)
    return proto
