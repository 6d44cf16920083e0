"""Averages over corpora, by the names under which they are logged: what a checkpoint can be chosen by."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from skill_plugin.errors import InputError
from skill_plugin.options.corpus_weights import parse_weights
from skill_plugin.spec.averages import AVERAGE, WEIGHTED, WORST, name_language_average

Groups = Mapping[str, Sequence[str]]  # name -> corpora whose mean counts once in averages


def group_units(corpora: Iterable[str], groups: Groups) -> dict[str, tuple[str, ...]]:
    """What counts once in averages, in order: a corpus by itself, or a group with those of its corpora that are here.

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
        units: what counts once, as ``group_units`` gives it: the mean of its corpora.
        weights: of units in the mean; the others weigh 1.
        least: the least of the units' values instead of their mean.
    """

    units: Mapping[str, Sequence[str]]
    weights: Mapping[str, float] = field(default_factory=dict)
    least: bool = False

    def weight(self, unit: str) -> float:
        """Of a unit in the mean."""
        return self.weights.get(unit, 1.0)

    @property
    def corpora(self) -> set[str]:
        """All corpora of its units."""
        return {corpus for corpora in self.units.values() for corpus in corpora}

    def value(self, values: Mapping[str, float]) -> float | None:
        """Of those of its corpora that have a value (something was scored); None where none has."""
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
    """By name: ``avg``, ``avg_<language>``, ``worst``, and with weights ``weighted_avg``; nothing of no corpus.

    Args:
        averaged: the corpora that count in averages, and the language of each.
        weights: of some units in ``weighted_avg``; the others weigh 1.
        groups: corpora that count once together.
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


def read_average_weights(text: str, averaged: Collection[str], option: str) -> dict[str, float]:
    """The weights of ``weighted_avg``; ``averaged`` are the units that may have one.

    Raises:
        InputError: see ``parse_weights``; or no weight is left above 0.
    """
    weights = parse_weights(text, averaged, option, "counts in averages")
    if weights and not any(weights.get(corpus, 1.0) for corpus in averaged):
        raise InputError(f"{option}: all weights are 0")
    return weights
