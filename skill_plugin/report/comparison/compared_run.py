"""What a run scored, from its ``results.json`` files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from skill_plugin.errors import InputError, nearest
from skill_plugin.files.json_file import read_json
from skill_plugin.report.comparison.named_files import matching
from skill_plugin.report.join_results import join_results
from skill_plugin.report.results import RESULTS, CorpusResult, Results

_TOLD = ("language", "kind", "metric", "n", "averaged")  # of a corpus, whatever the condition


@dataclass(frozen=True)
class ComparedRun:
    """One run of a model: where its results are, and they themselves."""

    path: Path
    results: Results

    @classmethod
    def read(cls, path: Path) -> ComparedRun:
        """One run's results.

        Args:
            path: a ``results.json``, or a folder with some in it or beneath it.

        Raises:
            InputError: there are none, one is damaged, or two of them have the same corpus or other splits.
        """
        files = results_files(path)
        if not files:
            raise InputError(f"no {RESULTS} in this folder", path)
        return cls(path, join_results({file: Results.read(file) for file in files}))

    @classmethod
    def read_condition(cls, path: Path, condition: str) -> ComparedRun:
        """What a trained model scored by one of the conditions of ``analyse perturb`` or ``analyse ablate``.

        Args:
            path: the file that its ``--json`` wrote.
            condition: its name there, as ``language zh``.

        Raises:
            InputError: it is no such file, or has no such condition.
        """
        content = read_json(path)
        try:
            scored, known = content["conditions"], content["corpora"]
            if condition not in scored:
                raise InputError(f"no condition {condition!r}{nearest(condition, scored)}", path)
            corpora = {
                name: CorpusResult(**{key: known[name][key] for key in _TOLD}, value=float(one["value"]))
                for name, one in scored[condition]["corpora"].items()
            }
            return cls(path, Results(str(content["split"]), corpora))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError("expected what `analyse perturb` or `analyse ablate` writes by --json", path) from None

    def by(self, metrics: Mapping[str, str]) -> ComparedRun:
        """The run by other metrics of some corpora.

        Raises:
            InputError: a corpus that was not scored by its metric.
        """
        corpora = dict(self.results.corpora)
        for corpus, metric in metrics.items():
            value = self.value(corpus, metric)
            corpora[corpus] = replace(corpora[corpus], metric=metric, value=value)
        return replace(self, results=replace(self.results, corpora=corpora))

    def value(self, corpus: str, metric: str) -> float:
        """The score of a corpus by a metric.

        Raises:
            InputError: it was not scored, or not by this metric.
        """
        corpora = self.results.corpora
        if corpus not in corpora:
            raise InputError(f"no results of {corpus!r}{nearest(corpus, corpora)}", self.path)
        known = {**corpora[corpus].details, corpora[corpus].metric: corpora[corpus].value}
        if metric not in known:
            raise InputError(f"{corpus} has no {metric}{nearest(metric, known)}", self.path)
        return known[metric]


def results_files(path: Path) -> list[Path]:
    """The files that a path of ``ComparedRun.read`` stands for, in order."""
    return sorted(path.rglob(RESULTS)) if path.is_dir() else [path]


def read_runs(pattern: str) -> list[ComparedRun]:
    """The runs that a pattern of paths matches, of those that have results.

    Args:
        pattern: of folders or files, as ``ComparedRun.read`` takes; with ``#CONDITION`` at its end of files, as
            ``ComparedRun.read_condition`` does.

    Raises:
        InputError: results are damaged, or a condition is missing.
    """
    files, _, condition = pattern.partition("#")
    paths = matching(files)
    if condition:
        return [ComparedRun.read_condition(path, condition) for path in paths]
    return [ComparedRun.read(path) for path in paths if path.is_file() or any(path.rglob(RESULTS))]
