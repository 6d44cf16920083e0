"""The texts of a corpus's answers as ids, which a decoder reads and writes, and what else is beside its texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import normalize

import numpy as np

from skill_plugin.errors import InputError, nearest
from skill_plugin.kinds.registry import kind_named, kinds_with
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.named_texts import NamedTexts
from skill_plugin.text.span_corruption import find_sentinels
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer import IntArray
from skill_plugin.text.vocabulary import SENTINEL, Vocabulary

LEARNS_TEXTS = "a text-to-text model learns the texts of answers, token by token; leave it out"


def answer_texts(corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The text of each answer, in the order of their ids; none where answers are no choice.

    Args:
        corpus, labels, facts: as for ``Kind.answer_texts``.

    Raises:
        InputError: the kind's answers cannot be written; labels are weighed or smoothed; ``targets`` name a label that
            there is not.
    """
    texts = kind_named(corpus.kind).answer_texts(corpus, labels, facts)
    if texts is None:
        message = f"corpus {corpus.name!r}: a text-to-text model does not answer the kind {corpus.kind}"
        message += f"; it answers {', '.join(kinds_with('prefix'))}; --only-corpora says which corpora are read"
        raise InputError(message, corpus.file, corpus.line)
    for key in ("class_weights", "label_smoothing"):
        if getattr(corpus, key):
            raise InputError(f"corpus {corpus.name!r}: {key}: {LEARNS_TEXTS}", corpus.file, corpus.line)
    if labels and (unknown := next((label for label in corpus.targets if label not in labels), None)) is not None:
        message = f"corpus {corpus.name!r}: targets: unknown label {unknown!r}{nearest(unknown, labels)}"
        raise InputError(message, corpus.file, corpus.line)
    return texts


def answer_targets(
    corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], encoder: TextEncoder
) -> tuple[IntArray, ...]:
    """The ids of each answer's text, with ``</s>``, in the order of their ids; none where answers are no choice.

    Args:
        corpus, labels, facts: as for ``Kind.answer_texts``.
        encoder: makes ids of the texts.

    Raises:
        InputError: as for ``answer_texts``; a text has no piece, or two have the same; spans are to be corrupted, and
            the vocabulary has no sentinel.
    """
    texts = answer_texts(corpus, labels, facts)
    if kind_named(corpus.kind).masks and not len(find_sentinels(encoder.vocabulary)):
        message = f"corpus {corpus.name!r}: span corruption needs mT5's pieces {SENTINEL}0>, {SENTINEL}1>, …"
        raise InputError(f"{message}, which the vocabulary lacks", corpus.file, corpus.line)
    found: dict[bytes, str] = {}
    encoded = encoder.encode_ids(texts).split() if texts else []
    for text, ids in zip(texts, encoded, strict=True):
        other = found.get(ids.tobytes())
        if not len(ids) or other is not None:
            message = f"corpus {corpus.name!r}: targets: the text {_same_pieces(text, other)}"
            raise InputError(message, corpus.file, corpus.line)
        found[ids.tobytes()] = text
    return tuple(np.append(ids, np.int32(Vocabulary.eos)) for ids in encoded)


def _same_pieces(text: str, other: str | None) -> str:
    """What is wrong with a text that has no pieces, or those of another one; where both look alike by their signs."""
    if other is None:
        return f"{text!r} has no piece of the vocabulary; expected another one"
    if text == other or normalize("NFC", text) != normalize("NFC", other):
        return f"{text!r} is written in the same pieces as {other!r}; expected another one"
    remedy = "expected another one, or a label_map that makes the two one label"
    return f"{text!a} is written in the same pieces as {other!a}, which looks like it; {remedy}"


def pieces_beside_texts(
    corpus: Corpus, labels: Sequence[str], facts: Mapping[str, Any], encoder: TextEncoder
) -> IntArray:
    """The ids that a text-to-text model reads and writes beside those of a corpus's texts, in any order.

    Of a corpus that it does not answer there are names alone.

    Args:
        corpus, labels, facts, encoder: as for ``answer_targets``.
    """
    kind = kind_named(corpus.kind)
    try:
        answers = kind.answer_texts(corpus, labels, facts) or ()
    except InputError:
        answers = ()
    names = NamedTexts.of(corpus, encoder, prefixed=True).names
    written = encoder.encode_ids([*kind.marks, *answers]).flat
    return np.concatenate([*(np.array(name, np.int32) for name in names), written])
