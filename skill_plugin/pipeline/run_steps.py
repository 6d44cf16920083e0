"""Runs the commands that are left to do, each in a process of its own, and remembers which are done."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json, write_json
from skill_plugin.files.validated import validate
from skill_plugin.pipeline.step import Step
from skill_plugin.pipeline.steps import TRAIN
from skill_plugin.runs.program_group import end_groups, signal_name, start_group
from skill_plugin.weights.torch_file import LAST

_FILE = "steps.json"


@dataclass(frozen=True)
class BegunTraining:
    """A training, and what it follows from.

    Attributes:
        asked: what a person gave, by option.
        command: its words.
        inputs: checksums of the files that it depends on.
    """

    asked: dict[str, str]
    command: list[str]
    inputs: dict[str, str | None]


class FailedStepError(Exception):
    """A command ended with an error, which it has told itself."""


class StepLog:
    """What was done in a folder.

    Args:
        folder: where all commands write.

    Attributes:
        file: where it is written.

    Raises:
        InputError: the file is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / _FILE
        self._last = folder / LAST
        content = read_json(self.file) if self.file.exists() else {}
        begun = content.get("begun")
        self._begun = validate(BegunTraining, begun, self.file) if begun else None
        self._done: dict[str, Any] = validate(dict, content.get("done", {}), self.file)

    @property
    def training(self) -> BegunTraining | None:
        """The training that left a checkpoint; None without one."""
        return self._begun if self._last.exists() else None

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
        was = {} if self.training is None else self.training.inputs
        if changed := [name for name, checksum in step.checksums().items() if was.get(name, checksum) != checksum]:
            folder, advice = self.file.parent, "name another --out, or delete this folder"
            raise InputError(f"holds a model that was trained before {changed[0]} changed; {advice}", folder)

    def begin_training(self, step: Step, asked: Mapping[str, str]) -> None:
        """Training begins or goes on, with what it follows from."""
        self._begun = BegunTraining(dict(asked), list(step.command), step.checksums())
        self._write()

    def end(self, step: Step) -> None:
        """A command is done."""
        self._done[step.name] = self._stamp(step)
        self._write()

    def _stamp(self, step: Step) -> dict[str, Any]:
        return {"command": list(step.command), "inputs": step.checksums()}

    def _write(self) -> None:
        begun = {} if self._begun is None else asdict(self._begun)
        write_json(self.file, {"begun": begun, "done": self._done})


def run_steps(
    steps: Sequence[Step], log: StepLog, asked: Mapping[str, str], on_step: Callable[[Step, bool], None]
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
        raise InputError(f"{step.name} was killed by {signal_name(-status)}; the same command goes on")
    if status:
        raise FailedStepError(step.name)
    if missing := [path for path in step.outputs if not path.exists()]:
        raise InputError(f"{step.name} ended without this file", missing[0])
