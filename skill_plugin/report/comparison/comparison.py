"""Several runs of several models side by side: means and spreads over what they have in common."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from skill_plugin.errors import InputError, counted, nearest
from skill_plugin.metrics.aggregates import Aggregate, Groups, group_units
from skill_plugin.options.distinct import refuse_repeats
from skill_plugin.report.comparison.compared_run import ComparedRun
from skill_plugin.report.comparison.paired import Difference, paired_deviation_difference, paired_difference
from skill_plugin.report.join_results import add_groups
from skill_plugin.report.results import CorpusResult
from skill_plugin.report.run_folder import named_seed, pair_seeds
from skill_plugin.report.score_table import task_of
from skill_plugin.report.spread import Spread

By = Literal["corpus", "language", "task"]  # what a column is


@dataclass(frozen=True)
class Row:
    """One model.

    Attributes:
        name: name of the row.
        runs: how many runs it has.
        corpora: its spreads by corpus; a corpus that it was not scored on is missing.
        together: its spreads by language or task, where columns are such; without those of which it lacks corpora.
        small, all: spreads of its means; None where there is nothing to take a mean of.
        further: columns that are asked for beside these, by their names.
        unreadable: how many texts of a run were no answer, in the mean over runs; None where answers were not written.
        differences: from the baseline, of ``small``, ``all`` and ``DEVIATION``; none for the baseline.
    """

    name: str
    runs: int
    corpora: Mapping[str, Spread]
    together: Mapping[str, Spread]
    small: Spread | None
    all: Spread | None
    further: Mapping[str, Spread]
    unreadable: float | None
    differences: Mapping[str, Difference]


@dataclass(frozen=True)
class Comparison:
    """The table as data.

    Attributes:
        split: name of the split that was scored.
        metrics: corpus -> metric, in the order of the columns.
        by: what a column is.
        together: language or task -> corpora of its mean, in the order of the columns; none where columns are corpora.
        small: corpora of the column of that name; none: there is no such column.
        common: corpora of the column ``all``.
        rows: the rows, in order.
        groups: corpora that count once together in means, by the group's name.
        entries: corpus -> metrics that are entries of the column of deviations; none: there is no such column.
        baseline: the row that the others are compared with; nothing: none.
        partial: whether rows may lack runs and corpora.
    """

    split: str
    metrics: Mapping[str, str]
    by: By
    together: Mapping[str, tuple[str, ...]]
    small: tuple[str, ...]
    common: tuple[str, ...]
    rows: tuple[Row, ...]
    groups: Mapping[str, tuple[str, ...]]
    entries: Mapping[str, tuple[str, ...]]
    baseline: str
    partial: bool


DEVIATION, DATA = "task σ", "data used"  # further columns


def compare(
    rows: Mapping[str, Sequence[ComparedRun]],
    columns: Sequence[str] | None = None,
    small: Sequence[str] = (),
    by: By = "corpus",
    baseline: str = "",
    entries: Mapping[str, Sequence[str]] | None = None,
    data_used: bool = False,
    partial: bool = False,
    order: Sequence[str] = (),
) -> Comparison:
    """Puts runs side by side.

    Args:
        rows: name -> runs, at least one each.
        columns: corpora to show, in order; by default all as they are met, those of ``order`` first.
        small: corpora of the column ``small``.
        by: what a column is: a corpus, or the mean over these corpora of a language or task.
        baseline: a row, from which the difference of the others is taken, run by run.
        entries: corpus -> further metrics of it. Asks for the column of the standard deviation over entries: the metric
            of each column, and these (CA-MTL's task σ, section 3.5.2).
        data_used: whether there is a column of the share of the training examples that a run saw (CA-MTL, table 3.1).
        partial: whether runs are still missing. What is asked for and not there is then left out, with the first row
            in place of a missing baseline; values are over the runs that have them, means over runs that have all of
            their corpora, and a difference is over the seeds and corpora that both rows have.
        order: names of corpora in the order in which they are shown, where ``columns`` does not say it.

    Raises:
        InputError: runs of one model that scored different corpora, a corpus that no run has or, for ``small``, that
            not all models have, or results that do not compare: another split, metric or number of items, a seed twice
            in a row, other seeds than the baseline's, or none in common for a table by language or task.
    """
    refuse_repeats(columns or (), "columns")
    refuse_repeats(small, "small")
    for name, each in rows.items():
        _expect_distinct_seeds(name, each)
    runs = [run for each in rows.values() for run in each]
    known, groups = _scored(runs)
    if partial:
        columns, small = ([corpus for corpus in asked or () if corpus in known] for asked in (columns, small))
        baseline = next(iter(rows)) if baseline and baseline not in rows else baseline
    shown = _shown(columns, known, order)
    if not partial:
        for each in rows.values():
            _expect_equal_corpora(each, shown)
    everywhere = [corpus for corpus in shown if partial or all(corpus in run.results.corpora for run in runs)]
    common = tuple(corpus for corpus in everywhere if known[corpus].averaged)
    units = {group: unit for group, unit in group_units(common, groups).items() if group in groups and len(unit) > 1}
    entered = {} if entries is None else {c: (known[c].metric, *entries.get(c, ())) for c in shown}
    found = Comparison(
        split=runs[0].results.split,
        metrics={corpus: known[corpus].metric for corpus in shown},
        by=by,
        together={} if by == "corpus" else _together(by, common, known),
        small=tuple(small),
        common=common,
        rows=(),
        groups=units,
        entries=entered,
        baseline=baseline,
        partial=partial,
    )
    _check_asked(found, rows, () if partial else entries or ())
    return replace(found, rows=tuple(_row(name, rows, found, data_used) for name in rows))


def _shown(columns: Sequence[str] | None, known: Collection[str], order: Sequence[str]) -> list[str]:
    """The corpora of the columns: those that are asked for, or all that are known."""
    for corpus in columns or ():
        if corpus not in known:
            raise InputError(f"no run scored {corpus!r}{nearest(corpus, known)}")
    return list(columns or sorted(known, key=lambda corpus: order.index(corpus) if corpus in order else len(order)))


def _check_asked(found: Comparison, rows: Mapping[str, Sequence[ComparedRun]], entries: Iterable[str]) -> None:
    """Checks what a person asked for against what there is."""
    for corpus in found.small:
        if corpus not in found.common:
            raise InputError(f"small corpus {corpus!r} is not one that all runs have{nearest(corpus, found.common)}")
    if found.by != "corpus" and not found.together:
        raise InputError(f"--by-{found.by}: no corpus that all runs have counts in means")
    if found.baseline and found.baseline not in rows:
        raise InputError(f"--baseline {found.baseline!r} is not a row{nearest(found.baseline, rows)}")
    for corpus in entries:
        if corpus not in found.metrics:
            raise InputError(f"--entries: {corpus!r} is not a column{nearest(corpus, found.metrics)}")


def _row(name: str, rows: Mapping[str, Sequence[ComparedRun]], found: Comparison, data_used: bool) -> Row:
    """The row of a model in a table that is known but for its rows."""
    runs, units = rows[name], found.groups

    def spreads(corpora_of: Mapping[str, Sequence[str]]) -> dict[str, Spread]:
        each = {column: _mean(runs, corpora, units) for column, corpora in corpora_of.items() if corpora}
        return {column: spread for column, spread in each.items() if spread is not None}

    means = spreads({"small": found.small, "all": found.common})
    return Row(
        name=name,
        runs=len(runs),
        corpora=spreads({corpus: [corpus] for corpus in found.metrics}),
        together=spreads(found.together),
        small=means.get("small"),
        all=means.get("all"),
        further=_further(runs, found, data_used),
        unreadable=_unreadable(runs, found.metrics),
        differences={} if name == found.baseline or not found.baseline else _differences(name, rows, found),
    )


def _together(by: By, corpora: Sequence[str], known: Mapping[str, CorpusResult]) -> dict[str, tuple[str, ...]]:
    """The corpora of each language or task."""
    found: dict[str, tuple[str, ...]] = {}
    for corpus in corpora:
        language = known[corpus].language
        column = language if by == "language" else task_of(corpus, language)
        found[column] = (*found.get(column, ()), corpus)
    return found


def _further(runs: Sequence[ComparedRun], table: Comparison, data_used: bool) -> dict[str, Spread]:
    """The further columns of a row, of those that were asked for.

    Raises:
        InputError: a run has fewer than two entries, and the table is no partial one.
    """
    found = {}
    if table.entries:
        entries = {run.path: _entries(run, table.entries) for run in runs}
        few = next((path for path, values in entries.items() if len(values) < 2), None)
        if few is None:
            found[DEVIATION] = Spread(tuple(map(statistics.stdev, entries.values())))
        elif not table.partial:
            raise InputError("--entries: a deviation needs two entries or more", few)
    if data_used and None not in (used := [run.results.data_used for run in runs]):
        found[DATA] = Spread(tuple(value for value in used if value is not None))
    return found


def _unreadable(runs: Sequence[ComparedRun], corpora: Iterable[str]) -> float | None:
    """How many texts of a run were no answer, of these corpora and in the mean over runs."""
    counts = [
        [score.unreadable for corpus in corpora if (score := run.results.corpora.get(corpus)) is not None]
        for run in runs
    ]
    sums = [sum(filter(None, of_run)) for of_run in counts if any(count is not None for count in of_run)]
    return statistics.mean(sums) if sums else None


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
            first = known.setdefault(corpus, score)
            if first.metric != score.metric:
                raise InputError(f"{corpus} is scored by {score.metric}, elsewhere by {first.metric}", run.path)
            if first.n != score.n and score.averaged:
                raise InputError(f"{corpus} is scored on {score.n} items, elsewhere on {first.n}", run.path)
    return known, groups


def _expect_distinct_seeds(name: str, runs: Sequence[ComparedRun]) -> None:
    """Checks that no two runs of a row have one seed, as far as their folders say which they have."""
    first: dict[int, Path] = {}
    for run in runs:
        seed = named_seed(run.path)
        if seed is not None and first.setdefault(seed, run.path) is not run.path:
            message = f"{name} has the seed {seed} here and in {first[seed]}; each run of a row has a seed of its own"
            raise InputError(message, run.path)


def _expect_equal_corpora(runs: Sequence[ComparedRun], corpora: Iterable[str]) -> None:
    """Checks that all runs of a model scored the same ones of these."""
    first = runs[0]
    for run in runs[1:]:
        for corpus in corpora:
            if (corpus in run.results.corpora) != (corpus in first.results.corpora):
                here, there = (run, first) if corpus in first.results.corpora else (first, run)
                raise InputError(f"no results of {corpus!r}, which {there.path} has", here.path)


def _mean(runs: Sequence[ComparedRun], corpora: Sequence[str], groups: Groups) -> Spread | None:
    """The mean over these corpora of each run that scored all of them; None where none did."""
    aggregate = Aggregate(group_units(corpora, groups))
    whole = [run.results.corpora for run in runs if all(corpus in run.results.corpora for corpus in corpora)]
    values = [aggregate.value({corpus: scores[corpus].value for corpus in corpora}) for scores in whole]
    return Spread(tuple(value for value in values if value is not None)) if values else None


def _differences(name: str, rows: Mapping[str, Sequence[ComparedRun]], found: Comparison) -> dict[str, Difference]:
    """How far a row is from the baseline, in each column of means, where there is something to compare."""
    ours, theirs = rows[name], rows[found.baseline]
    pairs = _same_seeds(ours, theirs) if found.partial else _pairs({name: ours, found.baseline: theirs})
    both = [run for pair in pairs for run in pair]

    def shared(corpora: Iterable[str]) -> list[str]:
        return [corpus for corpus in corpora if all(corpus in run.results.corpora for run in both)]

    def scores(side: int, units: Groups) -> NDArray[np.float64]:
        return np.array(
            [
                [statistics.fmean(pair[side].results.corpora[c].value for c in unit) for unit in units.values()]
                for pair in pairs
            ]
        )

    differences = {}
    for column, corpora in {"small": found.small, "all": found.common}.items():
        if both and (units := group_units(shared(corpora), found.groups)):
            differences[column] = paired_difference(scores(0, units), scores(1, units))
    entries = {corpus: found.entries[corpus] for corpus in shared(found.entries)}
    sides = [np.array([_entries(pair[side], entries) for pair in pairs]) for side in (0, 1)]
    if both and sides[0].shape[1] > 1:
        differences[DEVIATION] = paired_deviation_difference(*sides)
    return differences


def _pairs(rows: Mapping[str, Sequence[ComparedRun]]) -> list[tuple[ComparedRun, ComparedRun]]:
    """The runs of two rows by their seeds, where folders are named after them all, else in order.

    Raises:
        InputError: they have other seeds, or another number of runs.
    """
    (name, ours), (baseline, theirs) = rows.items()
    if len(ours) != len(theirs):
        raise InputError(f"{name} has {counted(len(ours), 'run')}, {baseline} {len(theirs)}; expected the same seeds")
    places = pair_seeds([run.path for run in ours], [run.path for run in theirs])
    if places is None:
        first, second = (", ".join(map(str, sorted(_seed_of(run.path) for run in runs))) for runs in (ours, theirs))
        raise InputError(f"{name} has the seeds {first}, {baseline} {second}; expected the same seeds")
    return [(run, theirs[place]) for run, place in zip(ours, places, strict=True)]


def _same_seeds(ours: Sequence[ComparedRun], theirs: Sequence[ComparedRun]) -> list[tuple[ComparedRun, ComparedRun]]:
    """The runs of two rows that have a seed in common."""
    of_seed = {_seed_of(run.path): run for run in theirs}
    return [(run, of_seed[seed]) for run in ours if (seed := _seed_of(run.path)) in of_seed]


def _seed_of(path: Path) -> int:
    """The seed of a run.

    Raises:
        InputError: no folder of its path is named after it.
    """
    seed = named_seed(path)
    if seed is None:
        raise InputError("no folder is named after the run's seed, as seed1", path)
    return seed


def _entries(run: ComparedRun, entries: Mapping[str, Sequence[str]]) -> list[float]:
    """All entries that a run scored.

    Raises:
        InputError: a corpus was not scored by a metric.
    """
    scored = {corpus: metrics for corpus, metrics in entries.items() if corpus in run.results.corpora}
    return [run.value(corpus, metric) for corpus, metrics in scored.items() for metric in metrics]
