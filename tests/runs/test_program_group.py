"""Groups of processes end: those that listen by what they are told first, others in the end too."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from skill_plugin.runs import program_group
from skill_plugin.runs.program_group import Program, end_groups, start_group

DEAF = "import signal; [signal.signal(n, signal.SIG_IGN) for n in (signal.SIGINT, signal.SIGTERM)]"
WITH_CHILD = f"""
import subprocess, sys, time
{DEAF}
subprocess.Popen(['sleep', '60'])
print('up', flush=True)
time.sleep(60)
"""


def started(code: str) -> Program:
    program = start_group([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert program.stdout is not None and program.stdout.readline() == b"up\n"
    return program


def test_those_that_listen_end_by_the_first_signal_and_others_are_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    listens = started("import signal, time; print('up', flush=True); time.sleep(60)")
    deaf = started(WITH_CHILD)
    monkeypatch.setattr(program_group, "PATIENCE", 0.3)
    end_groups([listens, deaf], signal.SIGINT)
    assert (listens.returncode, deaf.returncode) == (-signal.SIGINT, -signal.SIGKILL)
    # the pipe ends once the child, which writes to it too, has ended
    assert deaf.stdout is not None and deaf.stdout.read() == b""
    with pytest.raises(ProcessLookupError):
        os.killpg(listens.pid, 0)


def test_those_that_have_ended_are_left_alone() -> None:
    program = start_group([sys.executable, "-c", "raise SystemExit(3)"])
    assert program.wait() == 3
    end_groups([program])
    assert program.returncode == 3
