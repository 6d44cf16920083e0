"""All runs of a sweep, in an order in which each finds what it starts from."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skill_plugin.errors import InputError, nearest
from skill_plugin.kinds.registry import kind_named
from skill_plugin.report.score_table import is_better_lower
from skill_plugin.spec.corpora_file import read_corpora_file
from skill_plugin.spec.corpus import Corpus
from skill_plugin.spec.names import read_names
from skill_plugin.store.corpus_store import list_corpora, list_splits, open_corpus
from skill_plugin.sweeps.axis import Axis, Choice
from skill_plugin.sweeps.folder_names import folder_name
from skill_plugin.sweeps.options import CORPORA, DATA, ENCODER, Given, Options, defaults, merged, text_of
from skill_plugin.sweeps.planned_run import PlannedRun
from skill_plugin.sweeps.schedule import settle_shares
from skill_plugin.sweeps.sweep_file import VALID, Stage, SweepFile

Point = tuple[tuple[Axis, Choice], ...]

_DEFAULTS = defaults(
    criterion="multitask_cross_entropy", optimizer="skill_adam", no_epoch_checkpoints="", no_progress_bar="",
    log_interval="100",
)  # fmt: skip
_FIXED = defaults(task="multilingual_multitask")
_LOWER_IS_BETTER = ("loss", "ppl")  # of fairseq's numbers


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
            trained = _trained(file, stage, options)
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
        chosen = file.choose.rpartition("_")[2]
        if chosen not in _LOWER_IS_BETTER and not is_better_lower(chosen):
            more |= defaults(maximize_best_checkpoint_metric="")
    if corpus is not None:
        more |= defaults(only_corpora=",".join(corpora))
    if start is not None:
        more |= {ENCODER: Given((str(start.checkpoint),))}
    given = {name: one for name, one in merged(options, more).items() if one.words is not None}
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


@dataclass(frozen=True)
class _Trained:
    """What runs are trained on.

    Attributes:
        corpora: of the file that the data folder has.
        rows: training rows of those that have some.
        masked: those that are of masked tokens.
        by_itself: those that are trained by themselves, each with others that are ``as`` it, which have no train split
            and are scored with it; none where all are trained together.
        left_out: why others are not.
    """

    corpora: tuple[str, ...]
    rows: dict[str, int]
    masked: tuple[str, ...]
    by_itself: dict[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


def _trained(file: SweepFile, stage: Stage, options: Options) -> _Trained:
    only = read_names(text_of(options, "--only-corpora"), "--only-corpora")
    data, path = text_of(options, DATA), text_of(options, CORPORA)
    if data is None or path is None:
        raise InputError(f"has runs without {'data' if data is None else 'corpora'}", file.path)
    corpora, there = read_corpora_file(path, only).corpora, list_corpora(data)
    found = tuple(name for name in corpora if name in there)
    rows = {
        name: len(open_corpus(data, corpora[name], "train")) for name in found if "train" in list_splits(data, name)
    }
    masked = tuple(name for name in found if kind_named(corpora[name].kind).masks)
    if not stage.each:
        return _Trained(found, rows, masked)
    asked = stage.each if isinstance(stage.each, tuple) else None
    for name in asked or ():
        if name not in corpora:
            raise InputError(f"each: unknown corpus {name!r}{nearest(name, corpora)}", file.path, stage.line)
    reasons = {name: _unfit(Path(data), corpora[name], there) for name in asked or corpora}
    alone: dict[str, tuple[str, ...]] = {name: (name,) for name, reason in reasons.items() if not reason}
    for name in found:
        if name not in alone and "train" not in list_splits(data, name) and corpora[name].shares in alone:
            alone[corpora[name].shares or ""] += (name,)
            reasons.pop(name, None)
    wrong = tuple(reason for reason in reasons.values() if reason)
    if wrong and (asked or not alone):
        raise InputError(f"each: cannot be trained by itself: {'; '.join(wrong)}", file.path, stage.line)
    return _Trained(found, rows, masked, alone, wrong)


def _unfit(data: Path, corpus: Corpus, there: Sequence[str]) -> str:
    """Why a corpus cannot be trained and chosen by itself; nothing where it can."""
    if corpus.name not in there:
        return f"{corpus.name} is not in {data}"
    for split in ("train", VALID):
        if split not in list_splits(data, corpus.name) or not len(rows := open_corpus(data, corpus, split)):
            return f"{corpus.name} has no {split} split"
        if not rows.answered:
            return f"{corpus.name} has a {split} split without answers"
    if not corpus.in_average:
        return f"{corpus.name} does not count in avg"
    return ""


def _refuse_same_folder(folders: dict[Path, PlannedRun], run: PlannedRun, file: SweepFile) -> None:
    if run.folder in folders:
        labels = (", ".join(choice.label for _, choice in one.point) for one in (folders[run.folder], run))
        raise InputError(f"{' and '.join(labels)} would be in one folder, {run.folder}; rename one", file.path)
    folders[run.folder] = run
