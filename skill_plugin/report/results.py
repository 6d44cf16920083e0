"""``results.json``: what a model scored on every corpus of a data folder."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json, write_json
from skill_plugin.files.validated import validate
from skill_plugin.kinds.registry import is_cost
from skill_plugin.metrics.aggregates import Groups, make_aggregates
from skill_plugin.metrics.metric import Confusion
from skill_plugin.spec.averages import AVERAGE, WEIGHTED, WORST, name_language_average

RESULTS = "results.json"  # in the folder of a run

_ROUNDING = 1e-9  # of sums in another order


@dataclass(frozen=True)
class CorpusResult:
    """One corpus's score.

    Attributes:
        language, kind, metric: those of the corpus.
        value: the value of the metric.
        n: the number of scored items (texts, sentences, questions, queries).
        averaged: whether it counts in averages.
        details: every metric of the kind, and further values, by name.
        training: the planned and the actual share of the corpus in training, by the names of ``CorpusShare``; empty if
            the corpus was not trained on, or the shares are not known.
        constant: what the best rule without a model scores, see ``score_constant_rule``; None where there is none.
        calibration: ``ece``, the expected calibration error of its probabilities, and the ``bins`` of
            ``CalibrationError`` that it is the mean of; empty for kinds without.
        activated: what it was scored with, by the names of ``ActiveSet``, if that is not what it was trained with.
        unreadable: how many texts that a model wrote, one for each candidate of a ranking, were no answer; None where
            answers are chosen.
        confusion: how often each answer was given where another was right, see ``Metric.confusion``.
    """

    language: str
    kind: str
    metric: str
    value: float
    n: int
    averaged: bool = True
    details: Mapping[str, float] = field(default_factory=dict)
    training: Mapping[str, float] = field(default_factory=dict)
    constant: float | None = None
    calibration: Mapping[str, Any] = field(default_factory=dict)
    activated: Mapping[str, Any] = field(default_factory=dict)
    unreadable: int | None = None
    confusion: Confusion = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values; ``confusion``, ``calibration``, ``activated`` and ``unreadable`` only where there is some."""
        left_out = {name for name in ("confusion", "calibration", "activated") if not getattr(self, name)}
        left_out |= {"unreadable"} if self.unreadable is None else set()
        return {name: value for name, value in asdict(self).items() if name not in left_out}

    @property
    def is_constant(self) -> bool:
        """Whether the score is no better than that of a rule without a model."""
        if self.constant is None:
            return False
        gain = self.constant - self.value if is_cost(self.metric) else self.value - self.constant
        return gain <= _ROUNDING


@dataclass(frozen=True)
class Results:
    """The scores of a model.

    Attributes:
        split: the split that was scored.
        corpora: the results by name, in the order of the run.
        weights: the weights of units in ``weighted_avg``.
        groups: corpora that count once together, by the group's name.
        data_used: share of the training examples that were trained on at least once; None where that is not known.
    """

    split: str
    corpora: Mapping[str, CorpusResult]
    weights: Mapping[str, float] = field(default_factory=dict)
    groups: Groups = field(default_factory=dict)
    data_used: float | None = None

    @property
    def aggregates(self) -> dict[str, float]:
        """The averages that training logs, by their names there."""
        averaged = {name: result for name, result in self.corpora.items() if result.averaged}
        values = {name: result.value for name, result in averaged.items()}
        languages = {name: result.language for name, result in averaged.items()}
        found = make_aggregates(languages, self.weights, self.groups)
        scored = {name: aggregate.value(values) for name, aggregate in found.items()}
        return {name: value for name, value in scored.items() if value is not None}

    @property
    def avg(self) -> float | None:
        """The mean over the corpora that are averaged; None where none is."""
        return self.aggregates.get(AVERAGE)

    @property
    def by_language(self) -> dict[str, float]:
        """The mean over the averaged corpora of each language that has some."""
        languages = dict.fromkeys(result.language for result in self.corpora.values() if result.averaged)
        values = self.aggregates
        return {language: values[name_language_average(language)] for language in languages}

    def only(self, corpora: Collection[str]) -> Results:
        """The results of some of the corpora."""
        return replace(self, corpora={name: one for name, one in self.corpora.items() if name in corpora})

    def of_group(self, group: str) -> dict[str, CorpusResult]:
        """The results of a group's corpora that were scored."""
        return {name: self.corpora[name] for name in self.groups[group] if name in self.corpora}

    def to_json(self) -> dict[str, Any]:
        """Plain values, under the names that scripts rely on; ``worst``, ``weighted_avg`` and ``data_used`` where
        there are any.

        ``avg`` is null where no corpus counts in it. A group is there with all its corpora and the mean of those that
        were scored.
        """
        corpora = {name: result.to_json() for name, result in self.corpora.items()}
        further = {name: value for name, value in self.aggregates.items() if name in (WORST, WEIGHTED)}
        groups = {
            name: {"corpora": list(members), "value": fmean(result.value for result in scored.values())}
            for name, members in self.groups.items()
            if (scored := self.of_group(name))
        }
        means = {"avg": self.avg, "by_language": self.by_language, **further}
        if self.data_used is not None:
            means["data_used"] = self.data_used
        weights = {"weights": dict(self.weights)} if self.weights else {}
        return {"split": self.split, "corpora": corpora, **({"groups": groups} if groups else {}), **means, **weights}

    def write(self, path: Path) -> None:
        """Writes ``results.json``, whole or not at all.

        Raises:
            InputError: it cannot be written.
        """
        write_json(path, self.to_json())

    @classmethod
    def read(cls, path: Path) -> Results:
        """What ``write`` wrote, without corpora whose value is no number (an infinite perplexity).

        Raises:
            InputError: the file is missing or not one of these.
        """
        content = read_json(path)
        groups = content.get("groups", {})
        try:
            corpora = {name: one for name, one in content["corpora"].items() if one.get("value", 0) is not None}
            members = {name: group["corpora"] for name, group in groups.items()}
        except (KeyError, TypeError, AttributeError):
            raise InputError("not a results.json of `skill-plugin evaluate`", path) from None
        known = {"split": content.get("split"), "weights": content.get("weights", {}), "groups": members}
        return validate(cls, {**known, "corpora": corpora, "data_used": content.get("data_used")}, path)
