"""Whole training runs in processes of their own."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measures.asked import ROOT, Asked
from measures.made_data import Data

PROGRAM = str(Path(__file__).with_name("train_program.py"))
LONGEST = 900  # seconds of one run


class FailedRunError(Exception):
    """A program that should have been measured stopped; the message ends with what it said last."""


@dataclass(frozen=True)
class Clock:
    """Updates before those that are timed, those that are, and those that are profiled after them."""

    warm: int
    timed: int
    profiled: int = 0

    @property
    def updates(self) -> int:
        return self.warm + self.timed + self.profiled + 1


class Programs:
    """Training programs, of which one has imported its libraries already when it is asked for.

    Args:
        ahead: whether to start the next one while one is measured, as on a machine with cores to spare.
    """

    def __init__(self, ahead: bool) -> None:
        self._ahead = ahead
        self._next: subprocess.Popen[str] | None = None
        atexit.register(self._stop)

    def run(self, job: dict[str, Any]) -> dict[str, Any]:
        """The report of a job of ``train_program.py``.

        Raises:
            FailedRunError: it failed, or took too long.
        """
        program, self._next = self._next or self._start(), None
        with tempfile.TemporaryDirectory() as folder:
            report, file = Path(folder, "report.json"), Path(folder, "job.json")
            file.write_text(json.dumps({**job, "report": str(report)}))
            if self._ahead:
                self._next = self._start()
            try:
                said, _ = program.communicate(f"{file}\n", timeout=LONGEST)
            except subprocess.TimeoutExpired:
                program.kill()
                said = program.communicate()[0] + f"\nstopped after {LONGEST} s"
            return read_report(report, said)

    @staticmethod
    def torchrun(job: dict[str, Any], processes: int) -> dict[str, Any]:
        """The same, of so many processes that torchrun starts."""
        with tempfile.TemporaryDirectory() as folder:
            report, file = Path(folder, "report.json"), Path(folder, "job.json")
            file.write_text(json.dumps({**job, "report": str(report)}))
            command = [
                sys.executable,
                "-m",
                "torch.distributed.run",
                "--standalone",
                "--nproc_per_node",
                str(processes),
            ]
            return run_program([*command, PROGRAM, str(file)], report)

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env=environment(), errors="replace",
        )  # fmt: skip

    def _stop(self) -> None:
        if self._next is not None:
            self._next.communicate("\n")


def environment() -> dict[str, str]:
    """That of programs that are measured; they import ``measures`` as this one does."""
    paths = [str(ROOT / "scripts"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONUNBUFFERED": "1",
        "PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(paths),
    }  # fmt: skip


def read_report(report: Path, said: str) -> dict[str, Any]:
    """What a program wrote.

    Args:
        report: its file.
        said: what it printed, for the message.

    Raises:
        FailedRunError: there is none.
    """
    if not report.exists():
        raise FailedRunError(f"the run stopped:\n{said[-3000:]}")
    found: dict[str, Any] = json.loads(report.read_text())
    return found


def run_program(command: Sequence[str], report: Path, **variables: str) -> dict[str, Any]:
    """What a program wrote to its report.

    Args:
        command: the program.
        report: the file.
        variables: of its environment.

    Raises:
        FailedRunError: it wrote none, or took too long.
    """
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment() | variables,
            timeout=LONGEST,
            stdin=subprocess.DEVNULL, errors="replace", check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise FailedRunError(f"stopped after {LONGEST} s: {' '.join(command)}") from None
    return read_report(report, done.stdout)


def train_job(
    asked: Asked, data: Data, variant: str, corpora: int, clock: Clock, batch: int, checkout: Path = ROOT,
    options: Sequence[str] = (), processes: int = 1,
) -> dict[str, Any]:  # fmt: skip
    """A job of ``train_program.py``: a run from random weights, as ``--autocast bf16`` trains on a GPU.

    Args:
        asked: on which device, and how small.
        data: what is trained on.
        variant: of the published ones.
        corpora: draws of a corpus in a batch.
        clock: its updates.
        batch: sentences of a draw.
        checkout: whose plugin trains.
        options: further ones of ``fairseq-train``.
        processes: that train together.
    """
    arguments = [
        str(data.folder), "--user-dir", str(checkout / "skill_plugin"), "--task", "multilingual_multitask",
        "--corpora", str(data.corpora), "--arch", f"{variant}_{asked.model_size}",
        "--criterion", "multitask_cross_entropy", "--optimizer", "skill_adam", "--lr", "5e-5", "--clip-norm", "1.0",
        "--batch-size", str(batch),
        "--corpora-per-batch", str(corpora), "--max-update", str(clock.updates), "--disable-validation", "--no-save",
        "--log-format", "simple", "--log-interval", "1000", "--no-progress-bar",
    ]  # fmt: skip
    arguments += ["--distributed-world-size", str(processes)]
    arguments += ["--autocast", "bf16"] if asked.device == "cuda" else ["--cpu", "--distributed-backend", "gloo"]
    if data.only:
        arguments += ["--only-corpora", ",".join(data.only)]
    return {
        "clock": [clock.warm, clock.timed, clock.profiled],
        "arguments": [*arguments, *options],
        "checkout": str(checkout),
    }
