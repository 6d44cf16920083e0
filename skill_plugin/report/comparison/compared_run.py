"""What a run scored, from its ``results.json`` files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from skill_plugin.errors import InputError, nearest
from skill_plugin.report.join_results import join_results
from skill_plugin.report.results import RESULTS, Results


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
        files = sorted(path.rglob(RESULTS)) if path.is_dir() else [path]
        if not files:
            raise InputError(f"no {RESULTS} in this folder", path)
        return cls(path, join_results({file: Results.read(file) for file in files}))

    def by(self, metrics: Mapping[str, str]) -> ComparedRun:
        """The run by other metrics of some corpora.

        Raises:
            InputError: a corpus that was not scored by its metric.
        """
        corpora = dict(self.results.corpora)
        for corpus, metric in metrics.items():
            if corpus not in corpora:
                raise InputError(f"no results of {corpus!r}{nearest(corpus, corpora)}", self.path)
            scored = corpora[corpus]
            known = {**scored.details, scored.metric: scored.value}
            if metric not in known:
                raise InputError(f"{corpus} has no {metric}{nearest(metric, known)}", self.path)
            corpora[corpus] = replace(scored, metric=metric, value=known[metric])
        return replace(self, results=replace(self.results, corpora=corpora))
