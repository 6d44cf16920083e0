"""Span corruption, what T5 and mT5 were pretrained with (Raffel et al. 2020, section 3.1.4; the thesis, section 3.5).

Of a text some spans are taken out, at random and so many that their mean length is 3 and 15 % of the tokens are gone.
In the place of each stands a sentinel, another for each; the target is each sentinel with the span that it stands for.

Axes: T tokens of a text, K spans, n texts.
"""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from skill_plugin.text.masking import MASKED_SHARE
from skill_plugin.text.tokenizer import IntArray
from skill_plugin.text.vocabulary import SENTINEL, SPACE, Vocabulary

MEAN_LENGTH = 3


class SpanCounts(NamedTuple):
    """How much is taken out of texts; one number for each [n].

    Attributes:
        tokens: tokens that are taken out.
        spans: K.
    """

    tokens: npt.NDArray[np.int64]
    spans: npt.NDArray[np.int64]


class Corrupted(NamedTuple):
    """A text without some spans.

    Attributes:
        source: int32, the text with a sentinel for each span, without ``</s>``.
        target: int32, each sentinel and its span, without ``</s>``.
    """

    source: IntArray
    target: IntArray


def count_spans(lengths: npt.ArrayLike, sentinels: int) -> SpanCounts:
    """How much is taken out of texts of these lengths [n]: of one token that one, of more one at least and never all.

    Args:
        lengths: tokens of each text.
        sentinels: the most spans that there can be.
    """
    lengths = np.asarray(lengths, np.int64)
    tokens = np.minimum(np.clip(np.rint(MASKED_SHARE * lengths), 1, np.maximum(lengths - 1, 1)), lengths)
    spans = np.minimum(np.clip(np.rint(tokens / MEAN_LENGTH), 1, sentinels), tokens)
    return SpanCounts(tokens.astype(np.int64), spans.astype(np.int64))


def corrupt_spans(ids: IntArray, sentinels: IntArray, random: np.random.Generator) -> Corrupted:
    """Takes spans out of a text, of which no two touch; any lengths and places are as likely.

    T5's own code has a span end every text, which of a short one would always take out the end.

    Args:
        ids: int32 [T], a text without special tokens.
        sentinels: the ids of ``<extra_id_0>``, ``<extra_id_1>`` …
        random: the only source of randomness: the same state gives the same spans.
    """
    counts = count_spans([len(ids)], len(sentinels))
    tokens, spans = int(counts.tokens[0]), int(counts.spans[0])
    kept = _divide(len(ids) - tokens + 2, spans + 1, random)
    kept[0] -= 1  # the text may begin with a span, and end with one
    kept[-1] -= 1
    taken = _divide(tokens, spans, random)
    lengths = np.append(np.stack([kept[:-1], taken], axis=1), kept[-1])
    parts = np.split(ids, np.cumsum(lengths)[:-1])
    marks = np.split(sentinels[:spans], spans) if spans else []
    source = [*chain.from_iterable(zip(parts[:-1:2], marks, strict=True)), parts[-1]]
    target = [np.zeros(0, np.int32), *chain.from_iterable(zip(marks, parts[1::2], strict=True))]
    return Corrupted(np.concatenate(source).astype(np.int32), np.concatenate(target).astype(np.int32))


def split_spans(target: IntArray, sentinels: IntArray) -> dict[int, IntArray]:
    """What stands behind each sentinel of a target, by the sentinel's number; of one that occurs twice the first."""
    places = np.flatnonzero(np.isin(target, sentinels))
    found: dict[int, IntArray] = {}
    for start, end in zip(places.tolist(), [*places[1:].tolist(), len(target)], strict=False):
        found.setdefault(int(np.flatnonzero(sentinels == target[start])[0]), target[start + 1 : end])
    return found


def find_sentinels(vocabulary: Vocabulary) -> IntArray:
    """The ids of ``<extra_id_0>``, ``<extra_id_1>`` … as far as the vocabulary has them; mT5 writes a ▁ before them."""
    found: list[int] = []
    while symbol := next((s for s in (f"{p}{SENTINEL}{len(found)}>" for p in ("", SPACE)) if s in vocabulary), None):
        found.append(vocabulary.index(symbol))
    return np.array(found, np.int32)


def _divide(total: int, parts: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Lengths of parts of at least 1 that add up, each division as likely as any other."""
    cuts = np.sort(random.choice(max(total - 1, 0), max(parts - 1, 0), replace=False)) + 1
    return np.diff([0, *cuts, total] if parts else [0]).astype(np.int64)
