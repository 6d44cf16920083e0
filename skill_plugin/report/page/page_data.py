"""All that the sections of a page are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.kinds.registry import is_cost
from skill_plugin.report.description import Description
from skill_plugin.report.inspection import Inspections
from skill_plugin.report.page.analysis_file import AnalysisFile
from skill_plugin.report.page.difference import Difference, difference
from skill_plugin.report.page.reported_run import ReportedRun
from skill_plugin.report.results import CorpusResult, Results
from skill_plugin.report.run_folder import pair_seeds
from skill_plugin.report.spread import Spread


@dataclass(frozen=True)
class PageData:
    """What is known of the runs that a page is about.

    Attributes:
        runs: one or more of the same model, with other seeds; details are of the first.
        baselines: what they are compared with; none for no comparison.
        inspections: of the first run, what a look at every row found; None where there is no data to look at.
        checked: what ``check --json`` says of the first run's corpora; None where it is not known.
        checked_file: where that stands; None where it was found right now.
        unchecked: why it is not known.
        description: parameters and skill map of the first run; None without a checkpoint.
        analyses: files of `skill-plugin analyse`.
        command: the words of the command that makes the page.
    """

    runs: Sequence[ReportedRun]
    baselines: Sequence[ReportedRun] = ()
    inspections: Inspections | None = None
    checked: Mapping[str, Any] | None = None
    checked_file: Path | None = None
    unchecked: str = ""
    description: Description | None = None
    analyses: Sequence[AnalysisFile] = ()
    command: Sequence[str] = field(default=())

    def __post_init__(self) -> None:
        scored = [run for run in (*self.runs, *self.baselines) if run.results is not None]
        metrics: dict[str, str] = {}
        for run in scored:
            if _results(run).split != _results(scored[0]).split:
                here, there = _results(run).split, _results(scored[0]).split
                raise InputError(f"scores of {here}, but {scored[0].path} has those of {there}", run.path)
            for name, result in _results(run).corpora.items():
                if metrics.setdefault(name, result.metric) != result.metric:
                    message = f"{name} is scored by {result.metric}, in another run by {metrics[name]}"
                    raise InputError(message, run.path)

    @property
    def main(self) -> ReportedRun:
        """The run that details are of."""
        return self.runs[0]

    @cached_property
    def split(self) -> str:
        """The split that was scored; empty where nothing was."""
        return next((_results(run).split for run in self.runs if run.results is not None), "")

    @cached_property
    def corpora(self) -> Mapping[str, CorpusResult]:
        """The corpora that any of the runs scored, with the result of the first that did."""
        found: dict[str, CorpusResult] = {}
        for run in self.runs:
            if run.results is not None:
                found = {**run.results.corpora, **found}
        return found

    def scores(self, corpus: str) -> Spread | None:
        """The scores of the runs on a corpus."""
        return _spread(self.runs, corpus)

    def baseline_scores(self, corpus: str) -> Spread | None:
        """Those of the baselines."""
        return _spread(self.baselines, corpus)

    def difference(self, corpus: str) -> Difference | None:
        """The scores of the runs less those of the baselines; None where either has none."""
        ours, theirs = self.scores(corpus), self.baseline_scores(corpus)
        if ours is None or theirs is None:
            return None
        paired = self._are_pairs and len(ours.values) == len(self.runs) and len(theirs.values) == len(self.baselines)
        return difference(ours.values, theirs.values, is_cost(self.corpora[corpus].metric), paired)

    @cached_property
    def common(self) -> list[str]:
        """The corpora that every run and baseline scored and that count in averages."""
        everyone = [run.results for run in (*self.runs, *self.baselines) if run.results is not None]
        return [
            name
            for name, result in self.corpora.items()
            if result.averaged and all(name in one.corpora for one in everyone)
        ]

    def averages(self, corpora: Sequence[str]) -> tuple[Spread | None, Spread | None]:
        """The mean over some corpora as ``evaluate`` makes it, of each run and of each baseline."""
        return _averages(self.runs, corpora), _averages(self.baselines, corpora)

    def change_of(self, corpora: Sequence[str]) -> Difference | None:
        """The ``averages`` of the runs less those of the baselines; None where either has none."""
        ours, theirs = self.averages(corpora)
        if ours is None or theirs is None:
            return None
        return difference(ours.values, theirs.values, paired=self._are_pairs)

    @cached_property
    def _are_pairs(self) -> bool:
        """Whether each run has a baseline of its seed, at the same place."""
        groups = ([run.folder.resolve() for run in group] for group in (self.runs, self.baselines))
        return pair_seeds(*groups) is not None


def _results(run: ReportedRun) -> Results:
    assert run.results is not None
    return run.results


def _spread(runs: Sequence[ReportedRun], corpus: str) -> Spread | None:
    found = [run.results.corpora[corpus].value for run in runs if run.results and corpus in run.results.corpora]
    return Spread(tuple(found)) if found else None


def _averages(runs: Sequence[ReportedRun], corpora: Sequence[str]) -> Spread | None:
    parts = (run.results.only(corpora).avg for run in runs if run.results is not None)
    found = [value for value in parts if value is not None]
    return Spread(tuple(found)) if found else None
