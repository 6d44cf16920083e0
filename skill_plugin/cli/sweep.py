"""``skill-plugin sweep FILE.yaml``: training runs over lists and grids of options, and one table of them."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skill_plugin.cli.options import wrong_usage
from skill_plugin.errors import InputError, counted, nearest
from skill_plugin.options.distinct import refuse_repeats

if TYPE_CHECKING:
    from skill_plugin.sweeps.make_runs import Made
    from skill_plugin.sweeps.plan import Plan
    from skill_plugin.sweeps.planned_run import PlannedRun
    from skill_plugin.sweeps.sweep_file import SweepFile

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("file", metavar="FILE", type=_PATH)
@click.option("--out", type=_PATH, help="Folder of runs and tables (default: as FILE says, or FILE without .yaml).")
@click.option("--jobs", type=click.IntRange(1, 1024), default=1, show_default=True, help="Runs at a time.")
@click.option("--stage", "stages", metavar="NAME", multiple=True, help="Make the runs of this stage only (repeatable).")
@click.option("--print", "print_only", is_flag=True, help="Print the commands of runs that are not done, and end.")
def sweep(file: Path, out: Path | None, jobs: int, stages: Sequence[str], print_only: bool) -> None:
    """Train and score the runs that FILE describes, and put them into one table.

    The same command again goes on after a stop: runs that are done are not made again. A run that fails is named with
    its reason, and the others go on.
    """
    from skill_plugin.cli.visible_gpus import visible_gpus
    from skill_plugin.sweeps.check_options import check_options, check_splits
    from skill_plugin.sweeps.plan import make_plan
    from skill_plugin.sweeps.read_sweep_file import read_sweep_file
    from skill_plugin.sweeps.record import begun
    from skill_plugin.sweeps.table import check_layout

    read, gpus = read_sweep_file(file), visible_gpus()
    _check_stages(stages, read, file)
    plan = make_plan(read, out or read.folder, max(1, len(gpus)) if jobs == 1 else 1)
    check_layout(plan)
    asked = [run for run in plan.runs if not stages or run.stage in stages]
    for run in asked:
        begun(run)  # refuses what was begun otherwise
    if print_only:
        _print_commands(asked, gpus)
        return
    waiting = [run for run in asked if not run.is_done]
    check_splits(waiting, file)
    check_options(waiting, file)
    failed = _make(asked, plan, out or read.folder, jobs, gpus)
    if failed:
        message = f"{len(failed)} of {counted(len(asked), 'run')} failed; the same command tries them again"
        raise InputError(message, out or read.folder)


def _check_stages(stages: Sequence[str], read: SweepFile, file: Path) -> None:
    with wrong_usage():
        refuse_repeats(stages, "--stage")
    names = [stage.name for stage in read.stages]
    for name in stages:
        if name not in names:
            raise InputError(f"--stage {name}: no such stage{nearest(name, filter(None, names))}", file)


def _print_commands(asked: Sequence[PlannedRun], gpus: Sequence[str]) -> None:
    """Those of runs that are not done."""
    for run in asked:
        if not run.is_done:
            device = "cuda" if gpus and "--cpu" not in run.words else "cpu"
            for command in (run.train_command(), *(run.evaluate_command(split, device) for split in run.splits)):
                click.echo(shlex.join(command))


def _make(asked: Sequence[PlannedRun], plan: Plan, folder: Path, jobs: int, gpus: Sequence[str]) -> list[Made]:
    """Makes the runs that are not done, then tables and plot of all that are; returns those that failed."""
    from skill_plugin.cli.output import notes_console
    from skill_plugin.files.locks import locked
    from skill_plugin.runs.logged_programs import LoggedPrograms
    from skill_plugin.sweeps.make_runs import make_runs, tidy
    from skill_plugin.sweeps.plot import draw_sweep
    from skill_plugin.sweeps.table import write_tables

    notes, started = notes_console(), {run.start for run in plan.runs}
    for reason in plan.left_out:
        notes.print(f"not trained by itself: {reason}", style="yellow", markup=False, soft_wrap=True)

    def keep(run: PlannedRun) -> bool:
        return run.stage not in plan.file.discard or run in started

    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        by = "another sweep, or a training that it began,"
        locks = [stack.enter_context(locked(folder / f".lock-seed{seed}", folder, by)) for seed in plan.file.seeds]
        waiting = [run for run in asked if not run.is_done]
        if len(waiting) < len(asked):
            click.echo(f"done already: {len(asked) - len(waiting)} of {counted(len(asked), 'run')}")
        for run in plan.runs:
            if run.is_done:
                tidy(run, keep(run))
        tell = partial(_tell, numbers=count(1), total=len(waiting), folder=folder)
        try:
            failed = make_runs(waiting, jobs, gpus, LoggedPrograms(locks), keep, tell)
        except KeyboardInterrupt:
            notes.print("stopped; the same command goes on from here")
            sys.exit(130)
        for note in write_tables(plan, folder):
            notes.print(note, style="yellow", markup=False, soft_wrap=True)
        if draw_sweep(plan, folder / "plot.png"):
            click.echo(f"plot: {folder / 'plot.png'}")
    return failed


def _tell(made: Made, numbers: Iterator[int], total: int, folder: Path) -> None:
    """How a run ended, in a line."""
    from skill_plugin.cli.output import console, notes_console

    place = f"[{next(numbers)}/{total}] {made.run.folder.relative_to(folder)}"
    if made.fault is None:
        console().print(f"{place}: {_shown_scores(made)} ({made.seconds:.0f} s)", markup=False, soft_wrap=True)
    else:
        notes_console().print(f"{place} failed: {made.fault}", style="red", markup=False, soft_wrap=True)


def _shown_scores(made: Made) -> str:
    from skill_plugin.report.results import Results
    from skill_plugin.report.score_text import score_text
    from skill_plugin.spec.averages import AVERAGE

    results = Results.read(made.run.results(made.run.splits[0]))
    if results.avg is not None and len(results.corpora) > 1:
        return f"{AVERAGE} {100 * results.avg:.1f}"
    return ", ".join(f"{name} {score_text(one.value, one.metric)}" for name, one in results.corpora.items())
