"""Averages over corpora, by the names under which they are logged: what a checkpoint can be chosen by."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from skill_plugin.corpus_weights import read_weights
from skill_plugin.errors import InputError

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


def read_average_weights(text: str, averaged: Collection[str], option: str) -> dict[str, float]:
    """The weights of ``weighted_avg``.

    Raises:
        InputError: see ``read_weights``; or no weight is left above 0.
    """
    weights = read_weights(text, averaged, option, "counts in averages")
    if weights and not any(weights.get(corpus, 1.0) for corpus in averaged):
        raise InputError(f"{option}: all weights are 0")
    return weights
