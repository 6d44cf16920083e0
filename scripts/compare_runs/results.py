"""What a run scored, from its ``results.json`` files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from skill_plugin.errors import InputError, nearest
from skill_plugin.files.json_file import read_json


@dataclass(frozen=True)
class Score:
    """What a run scored on a corpus in a language, whether that counts in means, and its other metrics by name."""

    metric: str
    value: float
    averaged: bool
    language: str
    details: Mapping[str, float]


@dataclass(frozen=True)
class Run:
    """One run of a model.

    Attributes:
        path: where its results are.
        split: that was scored.
        scores: by corpus.
        groups: corpora that count once together, by the group's name.
        data_used: share of the training examples that it saw; None where that is not known, as of several files.
    """

    path: Path
    split: str
    scores: Mapping[str, Score]
    groups: Mapping[str, tuple[str, ...]]
    data_used: float | None = None

    def by(self, metrics: Mapping[str, str]) -> Run:
        """The run by other metrics of some corpora.

        Raises:
            InputError: a corpus that was not scored by its metric.
        """
        scores = dict(self.scores)
        for corpus, metric in metrics.items():
            if corpus not in scores:
                raise InputError(f"no results of {corpus!r}{nearest(corpus, scores)}", self.path)
            known = {scores[corpus].metric: scores[corpus].value, **scores[corpus].details}
            if metric not in known:
                raise InputError(f"{corpus} has no {metric}{nearest(metric, known)}", self.path)
            scores[corpus] = replace(scores[corpus], metric=metric, value=known[metric])
        return replace(self, scores=scores)


def read_run(path: Path) -> Run:
    """One run's results.

    Args:
        path: a ``results.json``, or a folder with some in it or beneath it.

    Raises:
        InputError: there are none, one is damaged, or two of them have the same corpus or other splits.
    """
    files = sorted(path.rglob("results.json")) if path.is_dir() else [path]
    if not files:
        raise InputError("no results.json in this folder", path)
    scores: dict[str, Score] = {}
    groups: dict[str, tuple[str, ...]] = {}
    parts = [_read_file(file) for file in files]
    for part in parts:
        for name in part.scores.keys() & scores.keys():
            message = f"{name!r} is in another results.json of {path} too: one run scores a corpus once"
            raise InputError(message, part.path)
        scores |= part.scores
        add_groups(groups, part)
    splits = dict.fromkeys(part.split for part in parts)
    if len(splits) > 1:
        raise InputError(f"results of several splits: {', '.join(splits)}", path)
    return Run(path, parts[0].split, scores, groups, parts[0].data_used if len(parts) == 1 else None)


def _read_file(file: Path) -> Run:
    try:
        content = read_json(file)
        scores = {
            name: Score(
                result["metric"],
                float(result["value"]),
                bool(result.get("averaged", True)),
                result["language"],
                dict(result.get("details", {})),
            )
            for name, result in content["corpora"].items()
            if result["value"] is not None
        }
        groups = {name: tuple(group["corpora"]) for name, group in content.get("groups", {}).items()}
        return Run(file, str(content["split"]), scores, groups, content.get("data_used"))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError("not a results.json of `skill-plugin evaluate`", file) from None


def add_groups(known: dict[str, tuple[str, ...]], run: Run) -> None:
    """Adds the groups of another run.

    Raises:
        InputError: a group of that name has other corpora.
    """
    for name, corpora in run.groups.items():
        if known.setdefault(name, corpora) != corpora:
            raise InputError(
                f"the group {name!r} is {', '.join(corpora)}, elsewhere {', '.join(known[name])}", run.path
            )
