"""All runs of a sweep, in an order in which each finds what it starts from."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.sweeps.axis import Axis, Choice
from skill_plugin.sweeps.folder_names import folder_name
from skill_plugin.sweeps.options import ENCODER, Given, Options, defaults, merged, text_of
from skill_plugin.sweeps.planned_run import PlannedRun
from skill_plugin.sweeps.schedule import settle_shares
from skill_plugin.sweeps.sweep_file import BEST, Stage, SweepFile
from skill_plugin.sweeps.trained_corpora import find_trained_corpora

Point = tuple[tuple[Axis, Choice], ...]

_DEFAULTS = defaults(
    criterion="multitask_cross_entropy", optimizer="skill_adam", no_epoch_checkpoints="", no_progress_bar="",
    log_interval="100",
)  # fmt: skip
_FIXED = defaults(task="multilingual_multitask")


@dataclass(frozen=True)
class Plan:
    """What there is to do.

    Attributes:
        file: the sweep.
        runs: all of them.
        left_out: why corpora are not trained by themselves.
    """

    file: SweepFile
    runs: tuple[PlannedRun, ...]
    left_out: tuple[str, ...]


def make_plan(file: SweepFile, folder: Path, ranks: int) -> Plan:
    """Plans all runs.

    Args:
        file: the sweep.
        folder: where runs go.
        ranks: processes of a run, unless ``--distributed-world-size`` says so.

    Raises:
        InputError: inputs that are not there, a corpus that cannot be trained by itself, or two runs of one folder.
    """
    runs: dict[tuple[str, tuple[str, ...], int], PlannedRun] = {}  # those that train one model, by stage and labels
    planned: list[PlannedRun] = []
    left_out: dict[str, None] = {}
    folders: dict[Path, PlannedRun] = {}
    for seed, stage in itertools.product(file.seeds, file.stages):
        for point in _points(file.axes_of(stage)):
            options = _options(file, stage, point)
            trained = find_trained_corpora(file, stage, options)
            left_out |= dict.fromkeys(trained.left_out)
            for corpus, corpora in trained.by_itself.items() or [(None, trained.corpora)]:
                start = None
                if stage.start is not None:
                    before = len(file.axes_of(file.stage(stage.start)))
                    start = runs[stage.start, tuple(choice.label for _, choice in point[:before]), seed]
                rows = {name: trained.rows[name] for name in corpora if name in trained.rows}
                settled = settle_shares(options, rows, _ranks(options, ranks), file.path, trained.masked)
                run = _run(file, stage, point, seed, corpus, corpora, settled, start, folder)
                _refuse_same_folder(folders, run, file)
                _need_inputs(run, file)
                planned.append(run)
                runs[stage.name, tuple(choice.label for _, choice in point), seed] = run
    return Plan(file, tuple(planned), tuple(left_out))


def _need_inputs(run: PlannedRun, file: SweepFile) -> None:
    for option, path in run.inputs.items():
        if not path.exists():
            raise InputError(f"{option}: no such file: {path}", file.path, run.lines.get(option))


def _points(axes: Sequence[Axis]) -> Iterator[Point]:
    for choices in itertools.product(*(axis.choices for axis in axes)):
        yield tuple(zip(axes, choices, strict=True))


def _options(file: SweepFile, stage: Stage, point: Point) -> Options:
    own = len(stage.axes)
    before, after = point[: len(point) - own], point[len(point) - own :]
    return merged(
        _DEFAULTS,
        file.options,
        *(choice.options for _, choice in before),
        stage.options,
        *(choice.options for _, choice in after),
        _FIXED,
    )


def _ranks(options: Options, ranks: int) -> int:
    """Processes of a run: those that it asks for, or as many as a run has here."""
    world = text_of(options, "--distributed-world-size") or ""
    return int(world) if world.isdecimal() else ranks


def _run(
    file: SweepFile,
    stage: Stage,
    point: Point,
    seed: int,
    corpus: str | None,
    corpora: tuple[str, ...],
    options: Options,
    start: PlannedRun | None,
    folder: Path,
) -> PlannedRun:
    values = ",".join(axis.folder(choice) for axis, choice in point)
    place = folder / (folder_name(values) if values else "") / f"seed{seed}" / stage.name / (corpus or "")
    more = defaults(seed=str(seed), save_dir=str(place))
    if "--disable-validation" not in options:
        more |= defaults(best_checkpoint_metric=file.choose)
        if not file.chooses_lowest:
            more |= defaults(maximize_best_checkpoint_metric="")
    if corpus is not None:
        more |= defaults(only_corpora=",".join(corpora))
    if start is not None:
        more |= {ENCODER: Given((str(start.checkpoint),))}
    given = {name: one for name, one in merged(options, more).items() if one.words is not None}
    given |= _of_saving(given, stage, file.path)
    return PlannedRun(
        stage=stage.name,
        point=point,
        seed=seed,
        corpus=corpus,
        corpora=corpora,
        folder=place,
        words={name: one.words or () for name, one in given.items()},
        lines={name: one.line for name, one in given.items() if one.line is not None},
        scored=f"checkpoint_{stage.checkpoint}.pt",
        splits=file.evaluate,
        start=start,
    )


def _of_saving(given: Options, stage: Stage, path: Path) -> Options:
    """What follows from saving less: runs without a last checkpoint begin anew after a stop, and need no optimizer's
    state.

    Raises:
        InputError: a checkpoint would be missing that is scored, or no run could go on from those that are there.
    """
    least, state = "--no-last-checkpoints", "--no-save-optimizer-state"
    if least not in given:
        if state in given:
            message = f"{state} needs {least}: stopped runs go on from the last checkpoint, and need the state for it"
            raise InputError(message, path, given[state].line)
        return {}
    if stage.checkpoint != BEST or "--disable-validation" in given:
        raise InputError(f"{least} cannot be given: the last checkpoint is scored", path, given[least].line)
    return {state: given.get(state, Given(()))}


def _refuse_same_folder(folders: dict[Path, PlannedRun], run: PlannedRun, file: SweepFile) -> None:
    if run.folder in folders:
        labels = (", ".join(choice.label for _, choice in one.point) for one in (folders[run.folder], run))
        raise InputError(f"{' and '.join(labels)} would be in one folder, {run.folder}; rename one", file.path)
    folders[run.folder] = run
