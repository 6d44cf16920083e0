"""Averages over corpora, by the names under which they are logged: what a checkpoint can be chosen by."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from skill_plugin.errors import InputError, nearest

AVERAGE, WORST, WEIGHTED = "avg", "worst", "weighted_avg"


def of_language(language: str) -> str:
    """The name of the mean over the corpora of one language."""
    return f"{AVERAGE}_{language}"


@dataclass(frozen=True)
class Aggregate:
    """One number for several corpora.

    Attributes:
        weights: of each corpus; all 1 for a mean.
        least: the least of their values instead of the mean.
    """

    weights: Mapping[str, float]
    least: bool = False

    def value(self, values: Mapping[str, float]) -> float:
        """Of those of its corpora that have a value (something was scored); 0 for none."""
        scored = [(values[corpus], weight) for corpus, weight in self.weights.items() if corpus in values]
        if self.least:
            return min((value for value, _ in scored), default=0.0)
        total = sum(weight for _, weight in scored)
        return sum(value * weight for value, weight in scored) / total if total else 0.0


def aggregates(averaged: Mapping[str, str], weights: Mapping[str, float] | None = None) -> dict[str, Aggregate]:
    """By name: ``avg``, ``avg_<language>``, ``worst``, and with weights ``weighted_avg``.

    Args:
        averaged: the corpora that count in averages, and the language of each. Of none there is ``avg`` alone, 0.
        weights: of some of them in ``weighted_avg``; the others weigh 1.
    """
    found = {AVERAGE: Aggregate(dict.fromkeys(averaged, 1.0))}
    for language in dict.fromkeys(averaged.values()):
        members = [corpus for corpus, one in averaged.items() if one == language]
        found[of_language(language)] = Aggregate(dict.fromkeys(members, 1.0))
    if averaged:
        found[WORST] = Aggregate(dict.fromkeys(averaged, 1.0), least=True)
    if averaged and weights:
        found[WEIGHTED] = Aggregate({corpus: weights.get(corpus, 1.0) for corpus in averaged})
    return found


def read_weights(text: str, averaged: Collection[str], option: str) -> dict[str, float]:
    """Weights written as ``rte=2,mnli=0.5``.

    Args:
        text: may be empty.
        averaged: the corpora that may have one.
        option: where it is written, for messages.

    Raises:
        InputError: not written so, a corpus that counts in no average or is named twice, a weight below 0, or no weight
            left above it.
    """
    weights: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        corpus, equals, number = (piece.strip() for piece in part.partition("="))
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if not equals or not math.isfinite(weight) or weight < 0:
            raise InputError(f"{option} {part}: expected CORPUS=WEIGHT with a weight of 0 or more, as rte=2,mnli=0.5")
        if corpus not in averaged:
            hint = nearest(corpus, averaged) or "; no corpus does"
            raise InputError(f"{option}: {corpus!r} is no corpus that counts in averages{hint}")
        if corpus in weights:
            raise InputError(f"{option}: {corpus!r} is named twice")
        weights[corpus] = weight
    if weights and not any(weights.get(corpus, 1.0) for corpus in averaged):
        raise InputError(f"{option}: all weights are 0")
    return weights
