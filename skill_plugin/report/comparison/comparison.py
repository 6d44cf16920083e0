"""Several runs of several models side by side: means and spreads over what they have in common."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from skill_plugin.errors import InputError, nearest
from skill_plugin.metrics.aggregates import Aggregate, Groups, group_units
from skill_plugin.report.comparison.compared_run import ComparedRun
from skill_plugin.report.comparison.paired import Difference, paired_difference
from skill_plugin.report.join_results import add_groups
from skill_plugin.report.results import CorpusResult
from skill_plugin.report.spread import Spread


@dataclass(frozen=True)
class Row:
    """One model.

    Attributes:
        name: name of the row.
        runs: how many runs it has.
        corpora: its spreads by corpus; a corpus that it was not scored on is missing.
        languages: its spreads by language, where the table is by language.
        small, all: spreads of its means; None where there is nothing to take a mean of.
        further: columns that are asked for beside these, by their names.
        differences: from the baseline, of ``small`` and ``all``; none for the baseline.
    """

    name: str
    runs: int
    corpora: Mapping[str, Spread]
    languages: Mapping[str, Spread]
    small: Spread | None
    all: Spread | None
    further: Mapping[str, Spread]
    differences: Mapping[str, Difference]


@dataclass(frozen=True)
class Comparison:
    """The table as data.

    Attributes:
        split: name of the split that was scored.
        metrics: corpus -> metric, in the order of the columns.
        languages: language -> corpora of its mean, in the order of the columns; empty: columns are corpora.
        small: corpora of the column of that name; none: there is no such column.
        common: corpora of the column ``all``.
        rows: the rows, in order.
        groups: corpora that count once together in means, by the group's name.
        entries: corpus -> metrics that are entries of the column of deviations; none: there is no such column.
        baseline: the row that the others are compared with; nothing: none.
    """

    split: str
    metrics: Mapping[str, str]
    languages: Mapping[str, tuple[str, ...]]
    small: tuple[str, ...]
    common: tuple[str, ...]
    rows: tuple[Row, ...]
    groups: Mapping[str, tuple[str, ...]]
    entries: Mapping[str, tuple[str, ...]]
    baseline: str


DEVIATION, DATA = "task σ", "data used"  # further columns


def compare(
    rows: Mapping[str, Sequence[ComparedRun]],
    columns: Sequence[str] | None = None,
    small: Sequence[str] = (),
    by_language: bool = False,
    baseline: str = "",
    entries: Mapping[str, Sequence[str]] | None = None,
    data_used: bool = False,
) -> Comparison:
    """Puts runs side by side.

    Args:
        rows: name -> runs, at least one each.
        columns: corpora to show, in order; by default all, in the order in which they are met.
        small: corpora of the column ``small``.
        by_language: whether columns are languages, of these corpora.
        baseline: a row, from which the difference of the others is taken, run by run.
        entries: corpus -> further metrics of it. Asks for the column of the standard deviation over entries: the metric
            of each column, and these (CA-MTL's task σ, section 3.5.2).
        data_used: whether there is a column of the share of the training examples that a run saw (CA-MTL, table 3.1).

    Raises:
        InputError: runs of one model that scored different corpora, a corpus that no run has or, for ``small``, that
            not all models have, or results that do not compare: another split or metric, or none in common for a
            table by language.
    """
    runs = [run for each in rows.values() for run in each]
    known, groups = _scored(runs)
    for corpus in columns or ():
        if corpus not in known:
            raise InputError(f"no run scored {corpus!r}{nearest(corpus, known)}")
    shown = list(columns or known)
    for each in rows.values():
        _expect_equal_corpora(each, shown)
    everywhere = [corpus for corpus in shown if all(corpus in run.results.corpora for run in runs)]
    common = tuple(corpus for corpus in everywhere if known[corpus].averaged)
    units = {group: unit for group, unit in group_units(common, groups).items() if group in groups and len(unit) > 1}
    entered = {} if entries is None else {c: (known[c].metric, *entries.get(c, ())) for c in shown}
    found = Comparison(
        split=runs[0].results.split,
        metrics={corpus: known[corpus].metric for corpus in shown},
        languages=_by_language(common, known) if by_language else {},
        small=tuple(small),
        common=common,
        rows=(),
        groups=units,
        entries=entered,
        baseline=baseline,
    )
    _check_asked(found, rows, by_language, entries or ())
    return replace(found, rows=tuple(_row(name, rows, found, data_used) for name in rows))


def _check_asked(
    found: Comparison, rows: Mapping[str, Sequence[ComparedRun]], by_language: bool, entries: Iterable[str]
) -> None:
    """Checks what a person asked for against what there is."""
    for corpus in found.small:
        if corpus not in found.common:
            raise InputError(f"small corpus {corpus!r} is not one that all runs have{nearest(corpus, found.common)}")
    if by_language and not found.languages:
        raise InputError("--by-language: no corpus that all runs have counts in means")
    if found.baseline and found.baseline not in rows:
        raise InputError(f"--baseline {found.baseline!r} is not a row{nearest(found.baseline, rows)}")
    for corpus in entries:
        if corpus not in found.metrics:
            raise InputError(f"--entries: {corpus!r} is not a column{nearest(corpus, found.metrics)}")


def _row(name: str, rows: Mapping[str, Sequence[ComparedRun]], found: Comparison, data_used: bool) -> Row:
    """The row of a model in a table that is known but for its rows."""
    runs, units, baseline = rows[name], found.groups, found.baseline
    means = {"small": found.small, "all": found.common}
    spreads = {column: _mean(runs, corpora, units) for column, corpora in means.items() if corpora}
    return Row(
        name=name,
        runs=len(runs),
        corpora={corpus: _mean(runs, [corpus], units) for corpus in found.metrics if corpus in runs[0].results.corpora},
        languages={language: _mean(runs, corpora, units) for language, corpora in found.languages.items()},
        small=spreads.get("small"),
        all=spreads.get("all"),
        further=_further(runs, found.entries, data_used),
        differences={
            column: _difference(runs, rows[baseline], group_units(means[column], units), name, baseline)
            for column in spreads
            if baseline and name != baseline
        },
    )


def _by_language(corpora: Sequence[str], known: Mapping[str, CorpusResult]) -> dict[str, tuple[str, ...]]:
    """The corpora of each language."""
    found: dict[str, tuple[str, ...]] = {}
    for corpus in corpora:
        language = known[corpus].language
        found[language] = (*found.get(language, ()), corpus)
    return found


def _further(runs: Sequence[ComparedRun], entered: Mapping[str, Sequence[str]], data_used: bool) -> dict[str, Spread]:
    """The further columns of a row, of those that were asked for."""
    found = {DEVIATION: Spread(tuple(_deviation(run, entered) for run in runs))} if entered else {}
    if data_used and None not in (used := [run.results.data_used for run in runs]):
        found[DATA] = Spread(tuple(value for value in used if value is not None))
    return found


def _scored(runs: Sequence[ComparedRun]) -> tuple[dict[str, CorpusResult], dict[str, Sequence[str]]]:
    """The first score of each corpus, and the groups of all runs."""
    known: dict[str, CorpusResult] = {}
    groups: dict[str, Sequence[str]] = {}
    for run in runs:
        add_groups(groups, run.results.groups, run.path)
        if run.results.split != runs[0].results.split:
            raise InputError(
                f"scored {run.results.split!r}, but {runs[0].path} scored {runs[0].results.split!r}", run.path
            )
        for corpus, score in run.results.corpora.items():
            metric = known.setdefault(corpus, score).metric
            if metric != score.metric:
                raise InputError(f"{corpus} is scored by {score.metric}, elsewhere by {metric}", run.path)
    return known, groups


def _expect_equal_corpora(runs: Sequence[ComparedRun], corpora: Iterable[str]) -> None:
    """Checks that all runs of a model scored the same ones of these."""
    first = runs[0]
    for run in runs[1:]:
        for corpus in corpora:
            if (corpus in run.results.corpora) != (corpus in first.results.corpora):
                here, there = (run, first) if corpus in first.results.corpora else (first, run)
                raise InputError(f"no results of {corpus!r}, which {there.path} has", here.path)


def _mean(runs: Sequence[ComparedRun], corpora: Sequence[str], groups: Groups) -> Spread:
    """The mean of each run over these corpora, all of which it scored."""
    aggregate = Aggregate(group_units(corpora, groups))
    values = [aggregate.value({corpus: run.results.corpora[corpus].value for corpus in corpora}) for run in runs]
    return Spread(tuple(value for value in values if value is not None))


def _difference(
    ours: Sequence[ComparedRun], theirs: Sequence[ComparedRun], units: Groups, name: str, baseline: str
) -> Difference:
    if len(ours) != len(theirs):
        raise InputError(f"{name} has {len(ours)} runs, {baseline} {len(theirs)}; expected the same seeds")

    def scores(runs: Sequence[ComparedRun]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        return np.array(
            [[statistics.fmean(run.results.corpora[c].value for c in unit) for unit in units.values()] for run in runs]
        )

    return paired_difference(scores(ours), scores(theirs))


def _deviation(run: ComparedRun, entries: Mapping[str, Sequence[str]]) -> float:
    """The standard deviation over all entries that a run scored."""
    values = []
    for corpus, metrics in entries.items():
        if corpus not in run.results.corpora:
            continue
        score = run.results.corpora[corpus]
        known = {score.metric: score.value, **score.details}
        for metric in metrics:
            if metric not in known:
                raise InputError(f"{corpus} has no {metric}{nearest(metric, known)}", run.path)
            values.append(known[metric])
    if len(values) < 2:
        raise InputError("--entries: a deviation needs two entries or more", run.path)
    return statistics.stdev(values)
