"""How the runs were made: settings, what differs between them, commands, and what they started from."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from skill_plugin.options.flag import flag_of
from skill_plugin.report.duration import show_duration
from skill_plugin.report.page.page_data import PageData
from skill_plugin.report.page.reported_run import CheckpointSummary, ReportedRun
from skill_plugin.report.page.section import Block, Cell, Code, Commands, Folded, Missing, Section, Table, Words

# groups of options that say something of a run, in the order in which they are shown
_GROUPS = (
    "model", "task", "criterion", "optimizer", "lr_scheduler", "optimization", "dataset", "common", "checkpoint",
    "distributed_training",
)  # fmt: skip
_FIRST = (
    "arch", "corpora", "only_corpora", "init_from", "corpus_sampling", "sampling_alpha", "corpora_per_batch",
    "criterion", "loss_scaling", "optimizer", "lr", "lr_scheduler", "warmup_updates", "batch_size", "max_tokens",
    "update_freq", "max_length", "max_epoch", "max_update", "clip_norm", "dropout", "weight_decay", "freeze",
    "skill_layers", "autocast", "fp16", "memory_efficient_fp16", "patience", "best_checkpoint_metric",
    "distributed_world_size", "seed",
)  # fmt: skip
# groups whose name says which part was chosen, by which option
_CHOSEN = {"model": "arch", "criterion": "criterion", "optimizer": "optimizer", "lr_scheduler": "lr_scheduler"}
_OWN = ("save_dir", "log_file", "tensorboard_logdir", "restore_file")  # of which each run has its own
_UNSET: tuple[Any, ...] = (None, "", [], -1, False)


def section(data: PageData) -> Section:
    """Of the first run, then what is otherwise in the others and in the baselines."""
    blocks: list[Block] = [_runs(data)]
    model = data.main.model
    if model is None:
        blocks.append(Missing(f"{data.main.path} has no checkpoint, which would say how the run was made."))
    else:
        chosen = {name: value for name, value in options(model).items() if name in _FIRST and value not in _UNSET}
        rows = [[flag_of(name), show(chosen[name])] for name in _FIRST if name in chosen]
        blocks += [Table(["option", "value"], rows, f"Main settings of {data.main.name}"), *_differences(data)]
        blocks += [_all(model), *_origin(model)]
        blocks.append(Folded("the corpora file", [Code(model.bundle.corpora_text)]))
    if not any(run.history is not None and run.history.commands for run in data.runs):
        blocks.append(
            Missing("The command lines of the runs are not known: log.jsonl has them, which every run writes.")
        )
    blocks.append(Commands(_commands(data)))
    return Section("settings", "Settings and commands", blocks)


def show(value: Any) -> str:
    """A value as the command line has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ",".join(map(show, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def options(model: CheckpointSummary) -> dict[str, Any]:
    """All options by name; what stands in several groups once. Names of parts have the name of their group."""
    found: dict[str, Any] = {}
    for group in _GROUPS:
        for name, value in model.settings.get(group, {}).items():
            if name != "_name":
                found.setdefault(name, value)
            elif group in _CHOSEN:
                found[_CHOSEN[group]] = value
    return found


def _runs(data: PageData) -> Table:
    rows: list[list[Cell | str]] = []
    for role, runs in (("run", data.runs), ("baseline", data.baselines)):
        for run in runs:
            model = run.model
            made = options(model) if model else {}
            rows.append(
                [
                    Cell(run.name, [(role, "soft")]),
                    str(run.checkpoint or run.path),
                    show(made.get("arch", "")),
                    show(made.get("seed", "")),
                    "" if model is None or model.updates is None else f"{model.updates:,}",
                    "" if model is None or model.seconds is None else show_duration(model.seconds),
                ]
            )
    caption = "The runs. Updates and time are those of the checkpoint."
    return Table(["run", "file", "architecture", "seed#", "updates#", "time#"], rows, caption)


def _differences(data: PageData) -> list[Block]:
    """What the seeds, and what runs and baselines, do not have in common."""
    blocks: list[Block] = []
    if len(data.runs) > 1:
        blocks += _differing("Settings in which the runs differ", data.runs)
    if data.baselines:
        blocks += _differing("Settings in which the baseline differs", [data.main, data.baselines[0]])
    return blocks


def _differing(caption: str, runs: Sequence[ReportedRun]) -> list[Block]:
    made: dict[str, Mapping[str, Any]] = {run.name: options(run.model) for run in runs if run.model is not None}
    if len(made) < 2:
        return []
    names = dict.fromkeys(name for one in made.values() for name in one if name not in _OWN)
    differing = [name for name in names if len({show(one.get(name)) for one in made.values()}) > 1]
    if not differing:
        return [Words(f"{caption}: none.")]
    rows = [[flag_of(name), *(show(one.get(name, "")) for one in made.values())] for name in differing]
    return [Table(["option", *made], rows, caption)]


def _all(model: CheckpointSummary) -> Folded:
    blocks: list[Block] = []
    for group in _GROUPS:
        values = {name: value for name, value in model.settings.get(group, {}).items() if value not in (None, "", [])}
        if values:
            rows = [[group if name == "_name" else flag_of(name), show(value)] for name, value in values.items()]
            blocks.append(Table(["option", "value"], rows, group))
    return Folded("all options of the run", blocks)


def _origin(model: CheckpointSummary) -> list[Block]:
    origin = model.bundle.origin
    if origin is None:
        return [Words("The weights started at random: no --init-from.")]
    lines = "\n\n".join("\n".join(one.lines) for one in origin.chain())
    return [Words(f"The weights started from {origin.file}."), Folded("which weights were taken", [Code(lines)])]


def _commands(data: PageData) -> list[tuple[str, str]]:
    """The command lines of the runs, where their logs have them, and that of the page."""
    commands = []
    for run in (*data.runs, *data.baselines):
        for number, command in enumerate(run.history.commands if run.history is not None else ()):
            commands.append((f"{run.name}, went on" if number else run.name, shlex.join(command)))
    if data.command:
        commands.append(("this page", shlex.join(data.command)))
    return commands
