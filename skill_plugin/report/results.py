"""``results.json``: what a model scored on every corpus of a data folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from skill_plugin.json_file import write_json
from skill_plugin.metrics.aggregates import AVERAGE, WEIGHTED, WORST, aggregates, of_language


@dataclass(frozen=True)
class CorpusResult:
    """One corpus's score.

    Attributes:
        language, kind, metric: as in the corpora file.
        value: of the metric.
        n: scored items (texts, sentences, questions, queries).
        averaged: whether it is a part of the averages.
        details: further values, by name.
        training: planned and actual share of the corpus in what the model was trained on, by the names of
            ``CorpusShare``; empty where it was not trained on or that is not known.
    """

    language: str
    kind: str
    metric: str
    value: float
    n: int
    averaged: bool = True
    details: Mapping[str, float] = field(default_factory=dict)
    training: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Results:
    """The scores of a model.

    Attributes:
        split: which split was scored.
        corpora: by name, in the order of the run.
        weights: of corpora in ``weighted_avg``.
    """

    split: str
    corpora: Mapping[str, CorpusResult]
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def aggregates(self) -> dict[str, float]:
        """The averages that training logs, by their names there."""
        averaged = {name: result for name, result in self.corpora.items() if result.averaged}
        values = {name: result.value for name, result in averaged.items()}
        found = aggregates({name: result.language for name, result in averaged.items()}, self.weights)
        return {name: aggregate.value(values) for name, aggregate in found.items()}

    @property
    def avg(self) -> float:
        """The mean over the corpora that are averaged."""
        return self.aggregates[AVERAGE]

    @property
    def by_language(self) -> dict[str, float]:
        """The mean over the averaged corpora of each language that has some."""
        languages = dict.fromkeys(result.language for result in self.corpora.values() if result.averaged)
        values = self.aggregates
        return {language: values[of_language(language)] for language in languages}

    def to_json(self) -> dict[str, Any]:
        """Plain values, under the names that scripts rely on; ``worst`` and ``weighted_avg`` where there are any."""
        corpora = {name: asdict(result) for name, result in self.corpora.items()}
        further = {name: value for name, value in self.aggregates.items() if name in (WORST, WEIGHTED)}
        return {"split": self.split, "corpora": corpora, "avg": self.avg, "by_language": self.by_language, **further}

    def write(self, path: Path) -> None:
        """Writes ``results.json``, whole or not at all.

        Raises:
            InputError: it cannot be written.
        """
        write_json(path, self.to_json())
