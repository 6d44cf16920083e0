"""Asks ``fairseq-train`` what is wrong with command lines, before anything is made of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from skill_plugin.errors import InputError
from skill_plugin.runs.error_line import error_line
from skill_plugin.runs.fairseq import need_fairseq

_PROGRAM = "skill_plugin.command_lines"


@dataclass(frozen=True)
class OptionFault:
    """What is wrong with a command line.

    Attributes:
        option: which option; None where it is none of them.
        message: what is said of it.
    """

    option: str | None
    message: str


def find_option_faults(lines: Sequence[Sequence[str]]) -> list[OptionFault | None]:
    """The first fault of each command line; None of a good one.

    Args:
        lines: words that follow ``fairseq-train``, without ``--user-dir``.

    Raises:
        InputError: fairseq is not there.
    """
    need_fairseq()
    command = [sys.executable, "-m", _PROGRAM]
    done = subprocess.run(command, input=json.dumps(lines), capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"the options cannot be checked: {error_line(done.stderr)}")
    return [None if fault is None else OptionFault(**fault) for fault in json.loads(done.stdout)]
