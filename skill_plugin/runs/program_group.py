"""Programs that each lead a group of processes, so that they end together with all that they started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from typing import Any

PATIENCE = 20.0  # seconds that programs have to end by themselves, before they are told more firmly

Program = subprocess.Popen[bytes]


def start_group(command: Sequence[str], **options: Any) -> Program:
    """Starts a program, without input, that Ctrl-C on a terminal does not reach: whoever started it hands it on.

    Args:
        command: its words.
        options: as of ``subprocess.Popen``.
    """
    # a session rather than a group of this one, which the terminal would stop for changing its settings
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)


def end_groups(programs: Iterable[Program], first: signal.Signals = signal.SIGTERM) -> None:
    """Sees to it that programs end, and all that they started: each is told to, then told again, then killed.

    Ctrl-C meanwhile ends the waiting for the next signal.

    Args:
        programs: from ``start_group``; some may have ended.
        first: the signal that tells them first.
    """
    left = list(programs)
    for sent in (first, signal.SIGTERM, signal.SIGKILL):
        left = [program for program in left if program.poll() is None]
        for program in left:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, sent)
        end = time.monotonic() + PATIENCE
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            for program in left:
                program.wait(max(0.0, end - time.monotonic()))


def signal_name(number: int) -> str:
    """The name of a signal that ended a program.

    >>> signal_name(9), signal_name(40)  # there are real-time signals without names
    ('SIGKILL', 'signal 40')
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
