"""Rows that occur twice, in one split or in train and another, for every kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat

from skill_plugin.readers import Example


@dataclass
class Repeats:
    """Rows of one split, each in one list at most.

    Attributes:
        same: equal to an earlier one, answer included. The order of candidates, of labels and of accepted answers does
            not count.
        conflicting: that ask the same as an earlier one, but say something else. Of a ranking: a candidate has another
            relevance for the same query. Of a span: one row has an answer and the other has none, since two answers
            may both be right.
        other_answers: questions that are asked again, with other answers (span).
    """

    same: list[Example] = field(default_factory=list)
    conflicting: list[Example] = field(default_factory=list)
    other_answers: list[Example] = field(default_factory=list)


def repeated(kind: str, examples: Iterable[Example]) -> Repeats:
    """The rows of a split that come again."""
    found = Repeats()
    first: dict[Hashable, Hashable] = {}
    seen: set[Hashable] = set()
    for example in examples:
        claims = _claims(kind, example)
        row = claims[0] if kind != "ranking" else (example.texts, frozenset(Counter(claims).items()))
        earlier = [first.setdefault(asked, answer) for asked, answer in claims]
        if row in seen:
            found.same.append(example)
        elif any(_differ(kind, a, answer) for a, (_, answer) in zip(earlier, claims, strict=True)):
            found.conflicting.append(example)
        elif kind == "span" and earlier[0] != claims[0][1]:
            found.other_answers.append(example)
        seen.add(row)
    return found


def keys_of(kind: str, examples: Iterable[Example]) -> set[Hashable]:
    """What tells whether a row of another split occurs in this one: ``overlapping``."""
    return {key for example in examples for key in _keys(kind, example)}


def overlapping(kind: str, examples: Iterable[Example], train: set[Hashable]) -> list[Example]:
    """Rows whose texts also occur in train, whatever the answer; queries of which a candidate does, for that query.

    Args:
        kind: of the corpus.
        examples: of valid or test.
        train: ``keys_of`` its rows.
    """
    return [example for example in examples if not train.isdisjoint(_keys(kind, example))]


def _claims(kind: str, example: Example) -> Sequence[tuple[Hashable, Hashable]]:
    """What a row says of what: mostly one answer."""
    answer: Hashable = example.answer
    if kind == "ranking":
        asked = ((example.texts, candidate) for candidate in example.candidates)
        relevance: Iterable[Hashable] = repeat(None) if example.answer is None else example.answer  # type: ignore[assignment]
        return list(zip(asked, relevance, strict=False))
    if kind in ("multilabel", "span") and isinstance(example.answer, tuple):
        answer = frozenset(example.answer)
    return [((example.texts, example.words, example.spans), answer)]


def _differ(kind: str, one: Hashable, other: Hashable) -> bool:
    if one is None or other is None:
        return False
    return bool(one) != bool(other) if kind == "span" else one != other


def _keys(kind: str, example: Example) -> list[Hashable]:
    if kind == "ranking":
        return [(example.texts, candidate) for candidate in example.candidates]
    # a sentence that is divided into other words is the same sentence
    return [(example.texts, example.spans) if example.spans else example.texts]
