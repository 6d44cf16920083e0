"""Runs the commands that are left to do, each in a process of its own, and remembers which are done."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json, write_json
from skill_plugin.pipeline.step import Step
from skill_plugin.pipeline.steps import LAST, TRAIN
from skill_plugin.runs.program_group import end_groups, start_group

_FILE = "steps.json"


class FailedStepError(Exception):
    """A command ended with an error, which it has told itself."""


class StepLog:
    """What was done in a folder.

    Args:
        folder: where all commands write.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _FILE
        self._last = folder / LAST
        content = read_json(self._path) if self._path.exists() else {}
        self._begun: dict[str, Any] = content.get("begun", {})
        self._done: dict[str, Any] = content.get("done", {})

    @property
    def training(self) -> Mapping[str, Any] | None:
        """``asked``, ``command`` and ``inputs`` of the training that left a checkpoint; None without one."""
        return self._begun if self._begun and self._last.exists() else None

    def is_done(self, step: Step) -> bool:
        """Whether it was done with the same inputs, and its output is still there."""
        return step.is_written and self._done.get(step.name) == self._stamp(step)

    def check_inputs(self, step: Step) -> None:
        """Refuses to go on with a training on other inputs.

        Args:
            step: the training.

        Raises:
            InputError: the first that has changed.
        """
        was = {} if self.training is None else self.training["inputs"]
        if changed := [name for name, checksum in step.checksums().items() if was.get(name, checksum) != checksum]:
            folder, advice = self._path.parent, "name another --out, or delete this folder"
            raise InputError(f"holds a model that was trained before {changed[0]} changed; {advice}", folder)

    def begin_training(self, step: Step, asked: Mapping[str, Any]) -> None:
        """Training begins or goes on, with what it follows from."""
        self._begun = {"asked": asked, "command": list(step.command), "inputs": step.checksums()}
        self._write()

    def end(self, step: Step) -> None:
        """A command is done."""
        self._done[step.name] = self._stamp(step)
        self._write()

    def _stamp(self, step: Step) -> dict[str, Any]:
        return {"command": list(step.command), "inputs": step.checksums()}

    def _write(self) -> None:
        write_json(self._path, {"begun": self._begun, "done": self._done})


def run_steps(
    steps: Sequence[Step], log: StepLog, asked: Mapping[str, Any], on_step: Callable[[Step, bool], None]
) -> list[str]:
    """Runs what is not done yet.

    Args:
        steps: all commands, in order.
        log: what was done before.
        asked: what they follow from.
        on_step: called with each command, and whether it stands already, before it is run.

    Returns:
        the names of those that were run.

    Raises:
        FailedStepError: a command failed; it has said why.
        InputError: a command was killed, or what is there was trained on something else.
        KeyboardInterrupt: the run was interrupted, and so was its command.
    """
    ran = []
    log.check_inputs(next(step for step in steps if step.name == TRAIN))
    for step in steps:
        stands = log.is_done(step)
        if step.name == TRAIN and not stands:
            log.begin_training(step, asked)
        on_step(step, stands)
        if not stands:
            _run(step)
            log.end(step)
            ran.append(step.name)
    return ran


def _run(step: Step) -> None:
    process = start_group(step.command)
    try:
        status = process.wait()
    except BaseException as error:
        end_groups([process], signal.SIGINT if isinstance(error, KeyboardInterrupt) else signal.SIGTERM)
        raise
    if status == -signal.SIGINT:
        raise KeyboardInterrupt
    if status < 0:
        raise InputError(f"{step.name} was killed by {signal.Signals(-status).name}; the same command goes on")
    if status:
        raise FailedStepError(step.name)
