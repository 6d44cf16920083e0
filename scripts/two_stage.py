#!/usr/bin/env python3
"""The two-stage protocol of MT-TaG (section 4.5, appendix A.3.2), over all corpora and seeds with one command.

    python scripts/two_stage.py RUN_DIR DATA_BIN --corpora FILE --arch mt_tag_small --init-from ENCODER --updates N \\
        [--seeds 1 2 3] [--single='--lr 2e-5'] [--joint='--lr 1e-4'] [--finetune='--lr 2e-5'] [-- --autocast bf16 …]

- single: each corpus alone from the pretrained encoder, with early stopping; its best checkpoint is scored.
- joint: all corpora together for a fixed number of updates; the last checkpoint is scored and goes on, as in the paper,
  which chooses the end of joint training whatever the dev sets say. With `--joint-best` it is the best on `avg`.
- finetune: each corpus by itself from the joint run's last checkpoint, with early stopping; the best one is scored.

Early stopping is fairseq's `--patience` on `avg`, which with one corpus is its metric: it counts validations without a
better score, one an epoch. (fairseq does not save the count: a run that goes on after a stop begins to count anew.)
With `--patience 0` there is none, and the end of the last epoch is scored.

Every run is a `fairseq-train` and a `skill-plugin evaluate`, in RUN_DIR/seedS/STAGE/[CORPUS]/ with its logs. The same
command again skips what is done and goes on with the run that was stopped; a run that was begun with other options is
refused. At the end stands one table, also as RUN_DIR/table.md and table.json.

Options of fairseq-train come from four places, later ones win: the script's own (printed by --dry-run), those after
`--` for all stages, `--model` for stages that train ARCH (`--model='--experts 8'`: the dense model of Single has none),
and `--single`, `--joint`, `--finetune` for one stage. Write them with `=`, as their values begin with a dash. Where the
schedule is polynomial_decay, it warms up over a tenth of the run's updates and falls to 0 at its end: at --updates, or
after --max-epoch epochs.

A corpus without a train split that is `as` another, as MultiNLI's second valid set, is scored with it in all stages.
With `--stages joint` the table has every corpus of the mixture that can be scored, those without a train split too.

Of a run that is done only the checkpoint that was scored is kept, without the optimizer's state.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from compare_runs.comparison import Comparison, compare
from compare_runs.results import read_run
from compare_runs.table import show, split_names, write

import skill_plugin
from skill_plugin.errors import InputError, nearest
from skill_plugin.files.json_file import read_json, write_json
from skill_plugin.files.locks import locked
from skill_plugin.report.spread import Spread
from skill_plugin.spec.corpora_file import read_corpora_file
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.corpus_store import list_corpora, list_splits, open_corpus

Options = dict[str, tuple[str, ...]]  # option of fairseq-train -> its values, none for a flag

STAGES = {"single": "Single", "joint": "Joint", "finetune": "Joint + fine-tuning"}
SMALL = 10_000  # training examples of a small corpus at most (section 4.5)
WARMUP = 0.1  # of a run's updates (A.3.2)

OWN: Options = {
    "--criterion": ("multitask_cross_entropy",),
    "--loss-scaling": ("log-classes",),  # section 3.3
    "--optimizer": ("skill_adam",),
    "--lr": ("5e-5",),  # one of A.3.2's
    "--lr-scheduler": ("polynomial_decay",),
    "--clip-norm": ("1.0",),
    "--batch-size": ("32",),
    "--no-progress-bar": (),
    "--log-interval": ("100",),
}
OWN_OF_STAGE: Mapping[str, Options] = {
    "single": {},
    # an epoch of the mixture is long: it is saved within
    "joint": {"--batch-size": ("128",), "--save-interval-updates": ("1000",), "--keep-interval-updates": ("1",)},
    "finetune": {},
}
FIXED: Options = {
    "--task": ("multilingual_multitask",),
    "--best-checkpoint-metric": ("avg",),
    "--maximize-best-checkpoint-metric": (),
    "--no-epoch-checkpoints": (),
}
# what this script decides itself, and what would take away the checkpoints that it needs
TAKEN = {
    **dict.fromkeys(FIXED, "two_stage.py relies on its own"),
    "--user-dir": "it is this plugin",
    "--corpora": "it is an option of two_stage.py",
    "--only-corpora": "it is an option of two_stage.py",
    "--arch": "it is an option of two_stage.py",
    "-a": "it is an option of two_stage.py, as --arch",
    "--init-from": "it is an option of two_stage.py",
    "--seed": "it is an option of two_stage.py, as --seeds",
    "--cpu": "it is an option of two_stage.py, as --device cpu",
    "--patience": "it is an option of two_stage.py",
    "--save-dir": "it is a folder in RUN_DIR",
    "--restore-file": "runs go on by themselves",
    "--no-save": "checkpoints are scored",
    "--no-last-checkpoints": "stopped runs go on from there",
    "--no-save-optimizer-state": "stopped runs need it",
}
# what may be another when a run goes on, since its result is the same
WATCHING = {
    "--num-workers", "--data-buffer-size", "--no-progress-bar", "--log-interval", "--log-format", "--log-file",
    "--tensorboard-logdir", "--wandb-project",
}  # fmt: skip


@dataclass(frozen=True)
class Protocol:
    """What is asked for.

    Attributes:
        arch, single_arch: of the mixture and of single corpora.
        mixture: corpora of the joint run.
        sizes: corpora that are also trained alone and fine-tuned -> their training examples, in the table's order.
        followers: corpora that are scored with one of these: other sets of it, without a train split of their own.
        seeds: one table of runs each.
        updates: of the joint run; None plans no joint run and no fine-tuning.
        max_epoch, patience: of the others.
        joint_best: whether of the joint run the best checkpoint counts rather than the last.
        common, model, of_stage: options of fairseq-train for all stages, for those of ``arch``, and by stage.
        ranks: processes of a run, over which a batch is spread.
    """

    arch: str
    single_arch: str
    mixture: tuple[str, ...]
    sizes: Mapping[str, int]
    seeds: tuple[int, ...]
    updates: int | None
    max_epoch: int
    patience: int
    joint_best: bool = False
    followers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    common: Options = field(default_factory=dict)
    model: Options = field(default_factory=dict)
    of_stage: Mapping[str, Options] = field(default_factory=dict)
    ranks: int = 1


@dataclass(frozen=True)
class Run:
    """One training run.

    Attributes:
        stage, seed: which of the protocol's.
        corpora: that it trains on: the mixture, or one.
        arch: the architecture.
        options: of fairseq-train, without inputs, outputs, seed and device.
        best: whether the best checkpoint on the valid split counts rather than the last.
        start: the run whose checkpoint this one starts from; None: the pretrained encoder.
    """

    stage: str
    seed: int
    corpora: tuple[str, ...]
    arch: str
    options: Options
    best: bool
    start: Run | None = None

    @property
    def name(self) -> str:
        """Its folder in RUN_DIR."""
        stage = f"seed{self.seed}/{self.stage}"
        return stage if self.stage == "joint" else f"{stage}/{self.corpora[0]}"

    @property
    def checkpoint(self) -> str:
        """What is scored, and what other runs start from."""
        return "checkpoint_best.pt" if self.best else "checkpoint_last.pt"


@dataclass(frozen=True)
class Place:
    """Inputs and outputs.

    Attributes:
        folder: RUN_DIR.
        data, corpora, init_from: data folder, corpora file, pretrained encoder.
        device: cpu or cuda.
        split: that is scored.
        prints: fingerprints: of corpora file and encoder by option, of binarised corpora by name.
    """

    folder: Path
    data: Path
    corpora: Path
    init_from: Path
    device: str
    split: str
    prints: Mapping[str, str]


def parse_options(tokens: Sequence[str], where: str) -> Options:
    """``--lr 1e-4 --fp16`` as options.

    Args:
        tokens: of a command line.
        where: what to call it in messages.

    Raises:
        InputError: a value without an option, or an option that is not free.
    """
    options: Options = {}
    name = None
    for token in tokens:
        if re.match(r"--?[A-Za-z]", token):
            name, equals, value = token.partition("=")
            if name in TAKEN:
                raise InputError(f"{where}: {name} cannot be given: {TAKEN[name]}")
            options[name] = (value,) if equals else ()
        elif name is None:
            raise InputError(f"{where}: {token!r}: expected an option of fairseq-train, such as --lr 1e-4")
        else:
            options[name] += (token,)
    # the same option under its other name would stand beside the script's own
    return {{"--max-sentences": "--batch-size"}.get(name, name): values for name, values in options.items()}


def merged(*parts: Options) -> Options:
    """All options; those of later parts win."""
    options: Options = {}
    for part in parts:
        options |= part
    return options


def plan(protocol: Protocol) -> list[Run]:
    """All runs, in an order in which each finds what it starts from."""
    alone = [(name, *protocol.followers.get(name, ())) for name in protocol.sizes]
    runs = []
    for seed in protocol.seeds:

        def run(stage: str, corpora: tuple[str, ...], start: Run | None = None, seed: int = seed) -> Run:
            arch = protocol.single_arch if stage == "single" else protocol.arch
            best = protocol.joint_best if stage == "joint" else protocol.patience > 0
            return Run(stage, seed, corpora, arch, _options(protocol, stage, arch, corpora), best, start)

        runs += [run("single", corpora) for corpora in alone]
        if protocol.updates is not None:
            joint = run("joint", protocol.mixture)
            runs += [joint, *(run("finetune", corpora, joint) for corpora in alone)]
    return runs


def _options(protocol: Protocol, stage: str, arch: str, corpora: tuple[str, ...]) -> Options:
    ends: Options = {"--max-epoch": (str(protocol.max_epoch),)}
    if stage == "joint":
        ends = {"--max-update": (str(protocol.updates),)}
    elif protocol.patience:
        ends["--patience"] = (str(protocol.patience),)
    else:
        ends["--disable-validation"] = ()
    options = merged(
        OWN,
        OWN_OF_STAGE[stage],
        ends,
        protocol.common,
        protocol.model if arch == protocol.arch else {},
        protocol.of_stage.get(stage, {}),
        FIXED,
    )
    if options["--lr-scheduler"] != ("polynomial_decay",):
        return options
    updates = _number(options, "--max-update", math.inf)
    if stage != "joint":
        sentences = _number(options, "--batch-size", 32) * _number(options, "--update-freq", 1) * protocol.ranks
        epochs = _number(options, "--max-epoch", protocol.max_epoch)
        updates = min(updates, epochs * math.ceil(protocol.sizes[corpora[0]] / sentences))
    schedule: Options = {"--total-num-update": (f"{updates:.0f}",), "--warmup-updates": (f"{WARMUP * updates:.0f}",)}
    return {**options, **{name: value for name, value in schedule.items() if name not in options}}


def _number(options: Options, name: str, default: float) -> float:
    """The value of an option that the schedule depends on."""
    if name not in options:
        return default
    try:
        number = float(options[name][0])
    except (ValueError, IndexError):
        number = 0
    if not number > 0:
        raise InputError(f"{name} {' '.join(options[name])}: expected a number above 0")
    return number


def train_command(run: Run, place: Place) -> list[str]:
    """The ``fairseq-train`` of a run."""
    start = place.init_from if run.start is None else place.folder / run.start.name / run.start.checkpoint
    command = [sys.executable, "-m", "fairseq_cli.train", str(place.data)]
    command += ["--user-dir", str(Path(skill_plugin.__file__).parent), "--corpora", str(place.corpora)]
    command += ["--only-corpora", ",".join(run.corpora), "--arch", run.arch, "--init-from", str(start)]
    command += ["--seed", str(run.seed), "--save-dir", str(place.folder / run.name)]
    command += ["--cpu"] if place.device == "cpu" else []
    return command + [part for option, values in run.options.items() for part in (option, *values)]


def evaluate_command(run: Run, place: Place) -> list[str]:
    """The ``skill-plugin evaluate`` of a run."""
    folder = place.folder / run.name
    command = [sys.executable, "-m", "skill_plugin", "evaluate", str(folder / run.checkpoint), str(place.data)]
    return [*command, "--split", place.split, "--device", place.device, "--json", str(folder / "results.json")]


def record(run: Run, place: Place) -> dict[str, str]:
    """What a run's result depends on: it goes on, or counts as done, only where this is the same."""
    about = {"--arch": run.arch, "corpora": ",".join(run.corpora), "scored split": place.split}
    about["scored checkpoint"] = run.checkpoint
    about |= {name: " ".join(values) for name, values in run.options.items() if name not in WATCHING}
    about |= {f"the data of {name}": place.prints[name] for name in run.corpora}
    about |= {option: place.prints[option] for option in ("--corpora", "--init-from")}
    if run.start is not None:
        about |= {f"run {run.start.name}": _digest(json.dumps(record(run.start, place)).encode())}
    return about


def difference(begun: Mapping[str, str], now: Mapping[str, str]) -> str:
    """The first entry in which two records differ, for a person; nothing where they are equal.

    >>> difference({"--lr": "1e-4", "--fp16": ""}, {"--lr": "1e-4"})
    '--fp16 was given, now it is not'
    """
    for name in dict.fromkeys([*begun, *now]):
        if name not in now:
            return f"{name} was {begun[name] or 'given'}, now it is not"
        if name not in begun:
            return f"{name} was not given, now it is{' ' * bool(now[name])}{now[name]}"
        if begun[name] != now[name]:
            if re.fullmatch(r"[0-9a-f]{16}", now[name]):
                return f"{name} is another than it was"
            return f"{name} was {begun[name]}, now {now[name]}"
    return ""


def begun(run: Run, place: Place) -> dict[str, Any] | None:
    """What ``run.json`` says of a run: its ``record``, and whether it was ``trained``; None where it was not begun.

    Raises:
        InputError: begun with other options, or a folder of something else.
    """
    folder = place.folder / run.name
    try:
        if not (folder / "run.json").exists():
            if any(folder.glob("checkpoint*.pt")) or (folder / "results.json").exists():
                raise InputError("holds a run that two_stage.py did not begin; name another RUN_DIR", folder)
            return None
        state = read_json(folder / "run.json")
        changed = difference(state["record"], record(run, place))
    except (KeyError, TypeError, AttributeError):
        raise InputError("damaged; delete this run's folder to begin it anew", folder / "run.json") from None
    if changed:
        raise InputError(f"begun with other options: {changed}; keep them, or name another RUN_DIR", folder)
    return state


def is_done(run: Run, place: Place) -> bool:
    """Whether a run's results are there; ``evaluate`` writes them whole or not at all."""
    return begun(run, place) is not None and (place.folder / run.name / "results.json").exists()


def fingerprint(path: Path) -> str:
    """16 digits for a file; for a corpora file (YAML) of what it says, so that comments may change."""
    if path.suffix in (".yaml", ".yml"):
        return _digest(json.dumps(yaml.safe_load(path.read_bytes())).encode())
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def fingerprint_data(folder: Path) -> str:
    """16 digits for a binarised corpus: sizes of its files, and its manifest, which has the sums of the sources."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    sizes = [f"{file.relative_to(folder)} {file.stat().st_size}\n".encode() for file in files]
    return _digest(b"".join([*sizes, *(file.read_bytes() for file in files if file.suffix == ".json")]))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def error_line(log: str) -> str:
    """The line of a log that says why a program failed: its last error, else its last line.

    >>> error_line("Traceback (most recent call last):\\nValueError: no\\n\\n")
    'ValueError: no'
    """
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Interrupt)\b", line)]
    return (errors or lines or ["it said nothing"])[-1]


class Runner:
    """Makes runs one after the other.

    Args:
        place: inputs and outputs.
        locks: descriptors that say that somebody works on these seeds as long as they are open, also in a training
            that outlives this script.
        discard: whether checkpoints that no other run starts from are deleted once they are scored.
    """

    def __init__(self, place: Place, locks: Sequence[int], discard: bool) -> None:
        self.place, self._locks, self._discard = place, locks, discard

    def run(self, run: Run) -> None:
        """Trains or goes on with training, scores, and deletes what nobody needs."""
        if run.start is not None and not is_done(run.start, self.place):
            raise InputError(f"{run.name} starts from {run.start.name}, which is not done: add joint to --stages")
        folder = self.place.folder / run.name
        state = begun(run, self.place)
        if state is None:
            state = {"record": record(run, self.place), "trained": False}
            folder.mkdir(parents=True, exist_ok=True)
            write_json(folder / "run.json", state)
        if not state["trained"]:
            self._call(run, train_command(run, self.place), folder / "train.log")
            if not (folder / run.checkpoint).exists():
                raise InputError(f"the run wrote no {run.checkpoint}; see {folder / 'train.log'}", folder)
            # fairseq would make one more update of a run that has made them all
            write_json(folder / "run.json", {**state, "trained": True})
        _drop_optimizer_state(folder / run.checkpoint)
        self._call(run, evaluate_command(run, self.place), folder / "evaluate.log")
        self.tidy(run)

    def tidy(self, run: Run) -> None:
        """Deletes the checkpoints of a run that is done, but for the one that was scored."""
        for file in (self.place.folder / run.name).glob("checkpoint*.pt*"):
            if file.name != run.checkpoint or (self._discard and run.stage != "joint"):
                file.unlink()

    def _call(self, run: Run, command: list[str], log: Path) -> None:
        """A program whose output goes to the end of a log; it and all that it started end with this script."""
        with log.open("ab") as output:
            output.write(f"$ {shlex.join(command)}\n".encode())
            output.flush()
            begin = output.tell()
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=self._locks,
            )
            try:
                status = process.wait()
            finally:
                _stop(process)
        if status:
            with log.open("rb") as file:
                file.seek(begin)
                said = file.read().decode("utf-8", "replace")
            raise InputError(f"{run.name} failed: {error_line(said)}; see {log}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    for how, seconds in ((signal.SIGTERM, 20), (signal.SIGKILL, None)):
        if process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, how)
            process.wait(seconds)


def _drop_optimizer_state(checkpoint: Path) -> None:
    """Two thirds of a checkpoint, which nobody needs who does not go on with the run."""
    from skill_plugin.weights.torch_file import load_torch_file, write_torch_file

    content = load_torch_file(checkpoint)
    if content.pop("last_optimizer_state", None) is not None:
        write_torch_file(content, checkpoint)


def results(runs: Sequence[Run], place: Place, protocol: Protocol, small: Sequence[str]) -> Comparison | None:
    """The table of the stages that are done for all seeds; None where there is none."""
    rows = {}
    for stage, title in STAGES.items():
        planned = [run for run in runs if run.stage == stage]
        if planned and all(is_done(run, place) for run in planned):
            rows[title] = [read_run(place.folder / f"seed{seed}/{stage}") for seed in protocol.seeds]
    columns = [each for name in protocol.sizes for each in (name, *protocol.followers.get(name, ()))]
    return compare(rows, columns, small) if rows else None


def small_corpora(asked: Sequence[str] | None, sizes: Mapping[str, int]) -> list[str]:
    """Corpora of the column ``small``: those asked for, else those with few training examples where others have more.

    Raises:
        InputError: one that is not in the table.
    """
    for name in asked or ():
        if name not in sizes:
            raise InputError(f"--small: {name!r} is not a corpus of the table{nearest(name, sizes)}")
    if asked is not None:
        return list(asked)
    small = [name for name, size in sizes.items() if 0 < size <= SMALL]
    return small if len(small) < len(sizes) else []


@dataclass(frozen=True)
class Chosen:
    """Corpora of a command line.

    Attributes:
        mixture: of the joint run.
        sizes: corpora of the table -> their training examples.
        followers: corpus of the table -> corpora that are `as` it, which cannot be trained and are scored with it.
        averaged: whether a corpus of the table counts in `avg`.
        left_out: why others are not in the table, or in the mixture.
    """

    mixture: tuple[str, ...]
    sizes: Mapping[str, int]
    followers: Mapping[str, tuple[str, ...]]
    averaged: bool
    left_out: Sequence[str]


def choose(
    data: Path, corpora: Path, only: Sequence[str] | None, targets: Sequence[str] | None, split: str, alone: bool
) -> Chosen:
    """The corpora that file and folder have in common, in the file's order.

    Args:
        data: the data folder.
        corpora: the corpora file.
        only: corpora of the mixture; None: all.
        targets: corpora of the table; None: all that can be.
        split: that is scored.
        alone: whether corpora of the table are trained by themselves; if not, they need only be scored.

    Raises:
        InputError: an unknown corpus, or one that is asked for and is not there, or that cannot be trained and scored
            by itself.
    """
    file, there = read_corpora_file(corpora, only), list_corpora(data)
    for name in targets or ():
        if name not in file.corpora:
            raise InputError(f"--targets: {name!r} is not a corpus of the mixture{nearest(name, file.corpora)}")
    sizes: dict[str, int] = {}
    followers: dict[str, tuple[str, ...]] = {}
    left_out = []
    for name, corpus in file.corpora.items():
        reason = f"{name} is not in {data}" if name not in there else _unfit(data, corpus, split, alone)
        if reason and name in there and alone and corpus.shares in sizes and not _unfit(data, corpus, split, False):
            followers[corpus.shares] = (*followers.get(corpus.shares, ()), name)
            continue
        if reason and name in (targets or (only if name not in there else None) or ()):
            raise InputError(reason)
        if reason:
            left_out.append(reason)
        elif targets is None or name in targets:
            sizes[name] = len(open_corpus(data, corpus, "train")) if "train" in list_splits(data, name) else 0
    if not sizes:
        what = "train and score by itself" if alone else "score"
        raise InputError(f"no corpus to {what}: {'; '.join(left_out)}", data)
    averaged = any(file.corpora[name].in_average for name in sizes)
    return Chosen(tuple(name for name in file.corpora if name in there), sizes, followers, averaged, left_out)


def _unfit(data: Path, corpus: Corpus, split: str, alone: bool) -> str:
    """Why a corpus cannot be scored, or, if ``alone``, trained and scored by itself; nothing where it can."""
    for each in dict.fromkeys(("train", "valid", split) if alone else (split,)):
        if each not in list_splits(data, corpus.name) or not len(rows := open_corpus(data, corpus, each)):
            return f"{corpus.name} has no {each} split"
        if not rows.answered:
            return f"{corpus.name} has a {each} split without answers"
    if alone and not corpus.in_average:
        return f"{corpus.name} does not count in avg, which early stopping goes by"
    return ""


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR", help="where the runs and the table go")
    parser.add_argument("data_bin", type=Path, metavar="DATA_BIN", help="folder that `skill-plugin prepare` wrote")
    parser.add_argument("--corpora", type=Path, required=True, metavar="FILE", help="the corpora file")
    parser.add_argument("--arch", required=True, help="architecture of the mixture, e.g. mt_tag_small")
    parser.add_argument("--single-arch", metavar="ARCH", help="of Single (default: dense, of the same size)")
    parser.add_argument("--init-from", type=Path, required=True, metavar="ENCODER", help="the pretrained encoder")
    parser.add_argument("--only-corpora", type=split_names, metavar="A,B", help="corpora of the mixture (default: all)")
    parser.add_argument(
        "--targets", type=split_names, metavar="A,B", help="those of them that the table has (default: all)"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], metavar="S", help="default: 1")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES), help="which to run (default: all)")
    parser.add_argument("--updates", type=int, metavar="N", help="of the joint run")
    parser.add_argument("--max-epoch", type=int, default=20, metavar="N", help="of the others, at most (default: 20)")
    patience = "validations without a better score (default: 5); 0: none, all epochs are trained and the end is scored"
    parser.add_argument("--patience", type=int, default=5, metavar="N", help=patience)
    best = "score and go on from the best of joint training by avg, where a corpus counts in it, rather than its end"
    parser.add_argument("--joint-best", action="store_true", help=best)
    parser.add_argument("--model", default="", metavar="OPTIONS", help="fairseq-train's, for stages that train ARCH")
    for stage in STAGES:
        parser.add_argument(f"--{stage}", default="", metavar="OPTIONS", help=f"fairseq-train's, for stage {stage}")
    small = f"corpora of the mean over small ones (default: those with at most {SMALL:,} training examples)"
    parser.add_argument("--small", type=split_names, metavar="A,B", help=small)
    parser.add_argument("--split", default="valid", choices=("valid", "test"), help="that is scored (default: valid)")
    parser.add_argument("--device", choices=("cpu", "cuda"), help="default: cuda where there is one")
    parser.add_argument("--discard-models", action="store_true",
                        help="delete the checkpoints of single and finetune too, once they are scored")  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="print the commands of runs that are not done")
    return parser


def protocol_of(asked: argparse.Namespace, common: Sequence[str], corpora: Chosen, gpus: int) -> Protocol:
    """What a command line asks for.

    Raises:
        InputError: options that do not fit.
    """
    if asked.updates is None and set(asked.stages) != {"single"}:
        raise InputError("--updates N is needed: joint training takes a fixed number of updates")
    for name, least in (("updates", 1), ("max_epoch", 1), ("patience", 0)):
        if getattr(asked, name) is not None and getattr(asked, name) < least:
            raise InputError(f"--{name.replace('_', '-')} {getattr(asked, name)}: expected at least {least}")
    for_all = parse_options(common, "after --")
    of_stage = {stage: parse_options(shlex.split(getattr(asked, stage)), f"--{stage}") for stage in STAGES}
    if asked.joint_best and not corpora.averaged:
        of_stage["joint"]["--disable-validation"] = ()  # which would look for avg
    return Protocol(
        arch=asked.arch,
        single_arch=asked.single_arch or f"dense_{asked.arch.rpartition('_')[2]}",
        mixture=corpora.mixture,
        sizes=corpora.sizes,
        seeds=tuple(dict.fromkeys(asked.seeds)),
        updates=asked.updates,
        max_epoch=asked.max_epoch,
        patience=asked.patience,
        joint_best=asked.joint_best and corpora.averaged,
        followers=corpora.followers,
        common=for_all,
        model=parse_options(shlex.split(asked.model), "--model"),
        of_stage=of_stage,
        ranks=int(_number(for_all, "--distributed-world-size", max(gpus, 1))),
    )


def work(asked: argparse.Namespace, common: Sequence[str]) -> None:
    """Everything that a command line asks for.

    Raises:
        InputError: something does not fit, or a run failed.
    """
    alone = set(asked.stages) != {"joint"}
    corpora = choose(asked.data_bin, asked.corpora, asked.only_corpora, asked.targets, asked.split, alone)
    small = small_corpora(asked.small, corpora.sizes)
    gpus = 0 if asked.device == "cpu" else _gpus()
    if asked.device == "cuda" and not gpus:
        raise InputError("--device cuda: torch finds no GPU")
    protocol = protocol_of(asked, common, corpora, gpus)
    encoder = asked.init_from / "model.pt" if asked.init_from.is_dir() else asked.init_from  # a folder of fairseq's
    if not encoder.is_file():
        raise InputError("--init-from: no such file", encoder)
    files = {"--corpora": asked.corpora, "--init-from": encoder}
    prints = {option: fingerprint(file) for option, file in files.items()}
    prints |= {name: fingerprint_data(asked.data_bin / name) for name in corpora.mixture}
    device = "cuda" if gpus else "cpu"
    place = Place(asked.run_dir, asked.data_bin, asked.corpora, asked.init_from, device, asked.split, prints)
    runs = plan(protocol)
    done = {run.name for run in runs if is_done(run, place)}
    stages = [run for run in runs if run.stage in asked.stages]
    waiting = [run for run in stages if run.name not in done]
    if asked.dry_run:
        for run in waiting:
            print(shlex.join(train_command(run, place)), shlex.join(evaluate_command(run, place)), sep="\n")
        return
    for reason in corpora.left_out:
        print(f"not in the table: {reason}")
    by = "another two_stage.py, or a training that it began,"
    with contextlib.ExitStack() as stack:
        locks = []
        for seed in protocol.seeds:  # other seeds may be run beside these
            folder = place.folder / f"seed{seed}"
            folder.mkdir(parents=True, exist_ok=True)
            locks.append(stack.enter_context(locked(folder / ".lock", folder, by)))
        if len(waiting) < len(stages):
            print(f"{len(stages) - len(waiting)} of {len(stages)} runs are done already")
        runner = Runner(place, locks, asked.discard_models)
        for run in stages:
            if run.name in done:
                runner.tidy(run)
        for number, run in enumerate(waiting, 1):
            print(f"[{number}/{len(waiting)}] {run.name}", end="", flush=True)
            start = time.monotonic()
            try:
                runner.run(run)
            except BaseException:
                print()
                raise
            scores = read_run(place.folder / run.name).scores
            shown = ", ".join(f"{name} {show(Spread((score.value,)), score.metric)}" for name, score in scores.items())
            print(f": {shown} ({time.monotonic() - start:.0f} s)", flush=True)
    comparison = results(runs, place, protocol, small)
    if comparison is not None:
        seeds = " ".join(map(str, protocol.seeds))
        single = f" (Single: {protocol.single_arch})" if protocol.single_arch != protocol.arch else ""
        title = f"{protocol.arch}{single}, seed{'s' * (len(protocol.seeds) > 1)} {seeds}"
        about = {"arch": protocol.arch, "single_arch": protocol.single_arch, "seeds": list(protocol.seeds)}
        sizes = dict(protocol.sizes)
        write(comparison, title, place.folder / "table.md", place.folder / "table.json", **about, sizes=sizes)


def _gpus() -> int:
    import torch

    return torch.cuda.device_count()


def main(arguments: Sequence[str] | None = None) -> None:
    given = list(sys.argv[1:] if arguments is None else arguments)
    cut = given.index("--") if "--" in given else len(given)
    asked = parser().parse_args(given[:cut])
    signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
    try:
        work(asked, given[cut + 1 :])
    except InputError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
