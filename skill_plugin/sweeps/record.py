"""What a run was begun with: it goes on, or counts as done, only where that is the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import json_text, read_json, write_json
from skill_plugin.store.checksums import file_checksum
from skill_plugin.store.corpus_folder import find_corpus_folder
from skill_plugin.sweeps.options import CORPORA, DATA
from skill_plugin.sweeps.planned_run import PlannedRun

_FILE = "run.json"
# what may be another when a run goes on, since its result is the same
_WATCHING = {
    "--num-workers", "--data-buffer-size", "--no-progress-bar", "--log-interval", "--log-format", "--log-file",
    "--tensorboard-logdir", "--wandb-project", "--save-dir", "--no-last-checkpoints", "--no-save-optimizer-state",
    "--keep-interval-updates",
}  # fmt: skip


def record(run: PlannedRun) -> dict[str, str]:
    """What its result depends on, by option."""
    about = {name: " ".join(words) for name, words in run.words.items() if name not in (*_WATCHING, *run.inputs, DATA)}
    about["scored"] = run.scored
    about |= {name: fingerprint(path, name == CORPORA) for name, path in run.inputs.items()}
    about |= {f"the data of {name}": fingerprint(find_corpus_folder(run.data, name)) for name in run.corpora}
    if run.start is not None:
        about["--init-from"] = _digest(json_text(_of_start(run.start)))
    return about


def _of_start(run: PlannedRun) -> Mapping[str, str]:
    """The record of a run that others start from, as it was begun: what does not count may have been another then."""
    now, state = record(run), _read(run)
    return now if state is None or difference(_counting(state[0]), now) else state[0]


def _counting(about: Mapping[str, str]) -> dict[str, str]:
    """What of a record a result depends on; an earlier version may have noted more."""
    return {name: text for name, text in about.items() if name not in _WATCHING}


def _read(run: PlannedRun) -> tuple[dict[str, str], bool] | None:
    """The record with which a run was begun, and whether it is trained; None where it was not begun."""
    file = run.folder / _FILE
    if not file.exists():
        return None
    state = read_json(file)
    try:
        return dict(state["record"]), bool(state["trained"])
    except (KeyError, TypeError, ValueError):
        raise InputError("damaged; delete this run's folder to begin it anew", file) from None


def begun(run: PlannedRun) -> bool | None:
    """Whether a run that was begun is trained; None where it was not begun.

    Raises:
        InputError: begun with other options, or a folder of something else.
    """
    state = _read(run)
    if state is None:
        if any(run.folder.glob("checkpoint*.pt")) or run.is_done:
            raise InputError("holds a run that no sweep began; name another folder with --out", run.folder)
        return None
    about, trained = state
    if changed := difference(_counting(about), record(run)):
        message = f"begun with other options: {changed}; keep them, name another folder with --out, or delete this one"
        raise InputError(message, run.folder)
    return trained


def note(run: PlannedRun, trained: bool) -> None:
    """Writes down that a run was begun, or is trained."""
    command: list[Any] = run.train_command()
    write_json(run.folder / _FILE, {"record": record(run), "trained": trained, "command": command})


def difference(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """The first entry in which two records differ, for a person; nothing where they are equal.

    >>> difference({"--lr": "1e-4", "--fp16": ""}, {"--lr": "1e-4"})
    '--fp16 was given, now it is not'
    """
    for name in dict.fromkeys([*before, *now]):
        if name not in now:
            return f"{name} was {before[name] or 'given'}, now it is not"
        if name not in before:
            return f"{name} was not given, now it is{' ' * bool(now[name])}{now[name]}"
        if before[name] != now[name]:
            if re.fullmatch(r"[0-9a-f]{16}", now[name]):
                return f"{name} is another than it was"
            return f"{name} was {before[name]}, now {now[name]}"
    return ""


@cache
def fingerprint(path: Path, says: bool = False) -> str:
    """16 digits for an input.

    Args:
        path: a file, or a folder, of which sizes count, and files of JSON: manifests have the sums of all files.
        says: of a corpora file what it says, so that comments may change.

    Raises:
        InputError: it cannot be read.
    """
    try:
        if says:
            import yaml

            return _digest(json_text(yaml.safe_load(path.read_bytes())))
        if path.is_dir():
            files = [file for file in sorted(path.rglob("*")) if file.is_file()]
            sizes = [f"{file.relative_to(path)} {file.stat().st_size}" for file in files]
            return _digest("\n".join([*sizes, *(file_checksum(file) for file in files if file.suffix == ".json")]))
        return file_checksum(path)[:16]
    except OSError as error:
        raise InputError(error.strerror or "cannot be read", path) from None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
