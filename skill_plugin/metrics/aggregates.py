"""Averages over corpora, by the names under which they are logged. A checkpoint can be chosen by them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from skill_plugin.errors import InputError
from skill_plugin.options.corpus_weights import parse_weights
from skill_plugin.spec.averages import AVERAGE, WEIGHTED, WORST, name_language_average

Groups = Mapping[str, Sequence[str]]  # name -> corpora whose mean counts once in averages


def group_units(corpora: Iterable[str], groups: Groups) -> dict[str, tuple[str, ...]]:
    """Groups corpora into units that count once in averages: a corpus alone, or the corpora of a group that are given.

    >>> group_units(["mnli-m", "rte", "mnli-mm"], {"mnli": ["mnli-m", "mnli-mm"]})
    {'mnli': ('mnli-m', 'mnli-mm'), 'rte': ('rte',)}
    """
    group_of = {corpus: group for group, members in groups.items() for corpus in members}
    units: dict[str, tuple[str, ...]] = {}
    for corpus in corpora:
        unit = group_of.get(corpus, corpus)
        units[unit] = (*units.get(unit, ()), corpus)
    return units


@dataclass(frozen=True)
class Aggregate:
    """One number for several corpora.

    Attributes:
        units: the corpora of each unit, as ``group_units`` gives them; the value of a unit is the mean of its corpora.
        weights: the weights of units in the mean; other units weigh 1.
        least: whether the value is the smallest one of the units instead of their mean.
    """

    units: Mapping[str, Sequence[str]]
    weights: Mapping[str, float] = field(default_factory=dict)
    least: bool = False

    def weight(self, unit: str) -> float:
        """The weight of a unit in the mean."""
        return self.weights.get(unit, 1.0)

    @property
    def corpora(self) -> set[str]:
        """All corpora of its units."""
        return {corpus for corpora in self.units.values() for corpus in corpora}

    def value(self, values: Mapping[str, float]) -> float | None:
        """The value over the corpora that have one, since something was scored; None if none has."""
        scored = {
            unit: fmean(values[corpus] for corpus in corpora if corpus in values)
            for unit, corpora in self.units.items()
            if not values.keys().isdisjoint(corpora)
        }
        if self.least:
            return min(scored.values(), default=None)
        total = sum(map(self.weight, scored))
        return sum(value * self.weight(unit) for unit, value in scored.items()) / total if total else None


def make_aggregates(
    averaged: Mapping[str, str], weights: Mapping[str, float] | None = None, groups: Groups | None = None
) -> dict[str, Aggregate]:
    """Makes ``avg``, ``avg_<language>``, ``worst``, and with weights ``weighted_avg``; none if there are no corpora.

    Args:
        averaged: the corpora that count in averages, with the language of each.
        weights: the weights of units in ``weighted_avg``; other units weigh 1.
        groups: the corpora of each group; a group counts once.
    """
    if not averaged:
        return {}
    units = group_units(averaged, groups or {})
    found = {AVERAGE: Aggregate(units)}
    for language in dict.fromkeys(averaged.values()):
        members = [corpus for corpus, one in averaged.items() if one == language]
        found[name_language_average(language)] = Aggregate(group_units(members, groups or {}))
    found[WORST] = Aggregate(units, least=True)
    if weights:
        found[WEIGHTED] = Aggregate(units, weights)
    return found


def read_average_weights(text: str, averaged: Collection[str]) -> dict[str, float]:
    """Parses ``--average-weights``, the weights of ``weighted_avg``; ``averaged`` are the units that may have one.

    Raises:
        InputError: as ``parse_weights``, or all weights are 0.
    """
    weights = parse_weights(text, averaged, "--average-weights", "counts in averages")
    if weights and not any(weights.get(corpus, 1.0) for corpus in averaged):
        raise InputError("--average-weights: all weights are 0")
    return weights
