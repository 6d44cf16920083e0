"""``results.json``: what a model scored on every corpus of a data folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from skill_plugin.metrics.corpus_metrics import average
from skill_plugin.whole_file import whole_file


@dataclass(frozen=True)
class CorpusResult:
    """One corpus's score.

    Attributes:
        language, kind, metric: as in the corpora file.
        value: of the metric.
        n: scored items (texts, sentences, questions, queries).
        averaged: whether it is a part of the averages.
        details: further values, by name.
    """

    language: str
    kind: str
    metric: str
    value: float
    n: int
    averaged: bool = True
    details: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Results:
    """The scores of a model.

    Attributes:
        split: which split was scored.
        corpora: by name, in the order of the run.
    """

    split: str
    corpora: Mapping[str, CorpusResult]

    @property
    def avg(self) -> float:
        """The mean over the corpora that are averaged."""
        return average([result.value for result in self.corpora.values() if result.averaged])

    @property
    def by_language(self) -> dict[str, float]:
        """The mean over the averaged corpora of each language that has some."""
        values: dict[str, list[float]] = {}
        for result in self.corpora.values():
            if result.averaged:
                values.setdefault(result.language, []).append(result.value)
        return {language: average(one) for language, one in values.items()}

    def to_json(self) -> dict[str, Any]:
        """Plain values, under the names that scripts rely on."""
        corpora = {name: asdict(result) for name, result in self.corpora.items()}
        return {"split": self.split, "corpora": corpora, "avg": self.avg, "by_language": self.by_language}

    def write(self, path: Path) -> None:
        """Writes ``results.json``, whole or not at all.

        Raises:
            InputError: it cannot be written.
        """
        with whole_file(path) as beside:
            beside.write_text(json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
