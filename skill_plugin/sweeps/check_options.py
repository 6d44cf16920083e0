"""Asks ``fairseq-train`` what it says of the options of runs, before any of them is made."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.runs.error_line import error_line
from skill_plugin.sweeps.planned_run import PlannedRun

_PROGRAM = "skill_plugin.command_lines"
_OF_RUN = ("--seed", "--save-dir", "--only-corpora", "--init-from")  # is none of what is looked at


def check_options(runs: Sequence[PlannedRun], file: Path) -> None:
    """Checks the options of all runs.

    Args:
        runs: of a sweep.
        file: of the sweep, for messages.

    Raises:
        InputError: the first fault, with the line of the option; or fairseq is not there.
    """
    kinds: dict[tuple[object, ...], PlannedRun] = {}
    for run in runs:
        kinds.setdefault(tuple((name, words) for name, words in run.words.items() if name not in _OF_RUN), run)
    asked = json.dumps([run.fairseq_words() for run in kinds.values()])
    done = subprocess.run([sys.executable, "-m", _PROGRAM], input=asked, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"the options cannot be checked: {error_line(done.stderr)}")
    for run, fault in zip(kinds.values(), json.loads(done.stdout), strict=True):
        if fault is not None:
            raise InputError(fault["message"], file, run.lines.get(fault["option"]))
