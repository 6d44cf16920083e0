"""Scores of corpora as trained and otherwise, their changes and averages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skill_plugin.analysis.perturbation.condition import Condition
from skill_plugin.metrics.aggregates import Groups
from skill_plugin.report.results import CorpusResult, Results

TRAINED = "as trained"


@dataclass(frozen=True)
class Average:
    """The average over corpora that a condition changes, as ``evaluate`` makes it.

    Attributes:
        value: of their scores.
        change: that less the average of the same corpora as trained.
        corpora: their names.
    """

    value: float
    change: float
    corpora: Sequence[str]


@dataclass(frozen=True)
class Perturbation:
    """Scores of a model.

    Attributes:
        variant: name of the published model.
        split: the split that was scored.
        conditions: what corpora activated instead.
        results: of each corpus, in the order of the file: its scores as trained and by the conditions that change it.
        groups: the corpora of each group, which counts once in an average.
    """

    variant: str
    split: str
    conditions: Sequence[Condition]
    results: Mapping[str, Mapping[str, CorpusResult]]
    groups: Groups = field(default_factory=dict)

    @property
    def titles(self) -> list[str]:
        """As trained, and the conditions that change a corpus that was scored."""
        found = [one.name for one in self.conditions if any(one.name in scores for scores in self.results.values())]
        return [TRAINED, *found]

    @property
    def languages(self) -> dict[str, list[str]]:
        """The corpora of each language."""
        found: dict[str, list[str]] = {}
        for name, scores in self.results.items():
            found.setdefault(scores[TRAINED].language, []).append(name)
        return found

    def change(self, title: str, corpus: str) -> float | None:
        """The score less that as trained; None if the condition does not change the corpus."""
        scores = self.results[corpus]
        return scores[title].value - scores[TRAINED].value if title in scores else None

    def average(self, title: str, corpora: Sequence[str] | None = None) -> Average | None:
        """The average of a condition over some corpora, or all; None if it changes none that is averaged."""
        names = [name for name in (self.results if corpora is None else corpora) if title in self.results[name]]
        value, trained = (
            Results(self.split, {name: self.results[name][one] for name in names}, groups=self.groups).avg
            for one in (title, TRAINED)
        )
        if value is None or trained is None:
            return None
        return Average(value, value - trained, [name for name in names if self.results[name][title].averaged])

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        trained = {name: scores[TRAINED] for name, scores in self.results.items()}
        return {
            "variant": self.variant,
            "split": self.split,
            "corpora": {
                name: {key: getattr(result, key) for key in ("language", "kind", "metric", "n", "averaged", "constant")}
                for name, result in trained.items()
            },
            "conditions": {title: self._condition(title) for title in self.titles},
            "impossible": {
                one.name: {name: why for name, why in one.impossible.items() if name in self.results}
                for one in self.conditions
                if one.impossible.keys() & self.results.keys()
            },
        }

    def _condition(self, title: str) -> dict[str, Any]:
        return {
            **_plain(self.average(title)),
            "by_language": {
                language: _plain(average)
                for language, corpora in self.languages.items()
                if (average := self.average(title, corpora)) is not None
            },
            "corpora": {
                name: {
                    "value": scores[title].value,
                    "change": self.change(title, name),
                    "activated": scores[title].activated,
                }
                for name, scores in self.results.items()
                if title in scores
            },
        }


def _plain(average: Average | None) -> dict[str, float | None]:
    return {"avg": None, "change": None} if average is None else {"avg": average.value, "change": average.change}
