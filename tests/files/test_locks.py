from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.files.locks import locked

HOLD = (
    "import sys, time\nfrom pathlib import Path\nfrom skill_plugin.files.locks import lock_until_exit, locked\n"
    "file = Path(sys.argv[1])\n"
)
FOREVER = "with locked(file, file.parent, 'a program'):\n    print('in', flush=True)\n    time.sleep(60)\n"
WITH_CHILD = (
    "import os\nlock_until_exit(file, file.parent, 'a program')\nlock_until_exit(file, file.parent, 'a program')\n"
    "if os.fork() == 0:\n    print('in', flush=True)\n    time.sleep(60)\ntime.sleep(60)\n"
)


@pytest.mark.parametrize("program", [FOREVER, WITH_CHILD])
def test_one_at_a_time_and_the_dead_hold_nothing(tmp_path: Path, program: str) -> None:
    file = tmp_path / ".lock"
    command = [sys.executable, "-c", HOLD + program, str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"in\n"
        expected = f"{tmp_path}: a program is at work here (process {process.pid}); wait until it has ended"
        with pytest.raises(InputError) as error, locked(file, tmp_path, "a program"):
            pass
        assert str(error.value) == expected
        process.kill()  # but no child that it may have
        process.wait()
        with locked(file, tmp_path, "a program"):
            assert file.read_text() == str(os.getpid())
        assert not file.exists()
    finally:
        os.killpg(process.pid, signal.SIGKILL) if program is WITH_CHILD else None
        process.communicate()


def refused(file: Path, why: str) -> None:
    with pytest.raises(InputError, match=why), locked(file, file.parent, "a program"):
        pass


def test_a_block_that_ends_lets_go(tmp_path: Path) -> None:
    for _ in range(2):
        with locked(tmp_path / ".lock", tmp_path, "a program"):
            refused(tmp_path / ".lock", "is at work here")
    assert os.listdir(tmp_path) == []
    refused(tmp_path / "no" / "f", "cannot be locked: no such file")
