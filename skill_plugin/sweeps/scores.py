"""What the runs of a sweep scored: rows of a table, chosen on valid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from skill_plugin.errors import InputError, nearest
from skill_plugin.report.join_results import join_results
from skill_plugin.report.results import Results
from skill_plugin.sweeps.axis import Axis, Choice
from skill_plugin.sweeps.plan import Plan, Point
from skill_plugin.sweeps.planned_run import PlannedRun
from skill_plugin.sweeps.sweep_file import BEST, VALID


@dataclass(frozen=True)
class Scored:
    """One model with one seed: a run, or one of each corpus.

    Attributes:
        runs: of that model.
        results: by split.
    """

    runs: tuple[PlannedRun, ...]
    results: Mapping[str, Results]

    def value(self, name: str) -> float:
        """A score on valid by the name that it has in logs: ``avg``, ``worst``, ``<corpus>_<metric>`` ….

        Raises:
            InputError: there is none of that name.
        """
        results = self.results[VALID]
        known = {**results.aggregates}
        known |= {f"{corpus}_{one.metric}": one.value for corpus, one in results.corpora.items()}
        if name not in known:
            raise InputError(f"choose: no score {name!r}{nearest(name, known)}", self.runs[0].choosing)
        return known[name]


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes:
        name: what it is called.
        chosen: what was chosen on valid, for a person; nothing where there was no choice.
        point: of its runs.
        stage: of its runs.
        seeds: the models of the row by seed: all that are done, or the best of them.
        done: how many seeds are done.
        planned: how many seeds it should have.
    """

    name: str
    chosen: str
    point: Point
    stage: str
    seeds: Mapping[int, Scored]
    done: int
    planned: int


def make_rows(plan: Plan, every: bool = False) -> list[Row]:
    """The rows of what is done, in the order of the plan.

    Args:
        plan: the sweep.
        every: a row for each choice, nothing chosen.

    Raises:
        InputError: results that are damaged, or that lack the score by which is chosen.
    """
    candidates: dict[tuple[str, tuple[str, ...]], dict[int, list[PlannedRun]]] = {}
    for run in plan.runs:
        labels = tuple(choice.label for _, choice in run.point)
        candidates.setdefault((run.stage, labels), {}).setdefault(run.seed, []).append(run)
    rows: dict[str, list[Row]] = {}
    for seeds in candidates.values():
        scored = {seed: read_scored(runs) for seed, runs in seeds.items() if all(run.is_done for run in runs)}
        if scored:
            first = next(iter(seeds.values()))[0]
            others = [(axis, choice) for axis, choice in first.point if not (every or _is_row(plan, axis.name))]
            name = row_name(plan, first, every)
            row = Row(name, ", ".join(map(_shown, others)), first.point, first.stage, scored, len(scored), len(seeds))
            rows.setdefault(name, []).append(row)
    return [row if every else _best_seed(plan, row) for row in (_choose(plan, each) for each in rows.values())]


def row_name(plan: Plan, run: PlannedRun, every: bool = False) -> str:
    """The name of the row of a run: what it has of the axes that make rows, and its stage.

    Args:
        plan: the sweep.
        run: one of its runs.
        every: whether all axes make rows.
    """
    shown = [_shown((axis, choice)) for axis, choice in run.point if every or _is_row(plan, axis.name)]
    return ", ".join([*shown, *([run.stage] if run.stage else [])]) or plan.file.path.stem


def read_scored(runs: Sequence[PlannedRun]) -> Scored:
    """The scores of a model whose runs are done.

    Raises:
        InputError: a file of them is damaged.
    """
    results = {}
    for split in runs[0].splits:
        files: list[Path] = [run.results(split) for run in runs]
        results[split] = join_results({file: Results.read(file) for file in files})
    return Scored(tuple(runs), results)


def _is_row(plan: Plan, name: str) -> bool:
    rows = plan.file.table.rows
    return rows is None or name in rows


def _shown(pair: tuple[Axis, Choice]) -> str:
    axis, choice = pair
    return axis.shown(choice)


def _choose(plan: Plan, rows: Sequence[Row]) -> Row:
    """The row that is the best on valid of those with the most seeds; of equals the first.

    The mean over seeds that are left where others failed is that of the lucky ones.
    """
    if len(rows) == 1:
        return rows[0]
    return max(rows, key=lambda row: (row.done, fmean(_gain(plan, one) for one in row.seeds.values())))


def _gain(plan: Plan, scored: Scored) -> float:
    """What is chosen by: more is better."""
    value = scored.value(plan.file.choose)
    return -value if plan.file.chooses_lowest else value


def _best_seed(plan: Plan, row: Row) -> Row:
    if plan.file.table.seeds != BEST or len(row.seeds) == 1:
        return row
    seed = max(row.seeds, key=lambda seed: _gain(plan, row.seeds[seed]))
    chosen = ", ".join([*([row.chosen] if row.chosen else []), f"seed {seed}"])
    return Row(row.name, chosen, row.point, row.stage, {seed: row.seeds[seed]}, row.done, row.planned)
