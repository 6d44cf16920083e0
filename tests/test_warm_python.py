"""The executable that stands for Python in shell scripts does what Python does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.warm_python import warm_python


def both(script: str, folder: Path) -> list[tuple[int, str, str]]:
    """What a shell script gives with Python itself and with forks in its place."""
    found = []
    for python in (sys.executable, str(warm_python())):
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, check=False, cwd=folder,
            env={**os.environ, "PYTHON": python, "GIVEN": "ä b"},
        )  # fmt: skip
        found.append((done.returncode, done.stdout, done.stderr))
    return found


@pytest.mark.parametrize(
    "script",
    [
        """"$PYTHON" -c 'import os, sys; print(os.environ["GIVEN"], os.getcwd(), sys.argv[1:])' "a b" ''""",
        "\"$PYTHON\" - one <<'PROGRAM'\nimport sys\nprint(sys.argv[1:]); sys.exit('at fault')\nPROGRAM",
        """echo text | "$PYTHON" -c 'import sys; print(sys.stdin.read()); sys.exit(3)' | cat; exit ${PIPESTATUS[1]}""",
        """"$PYTHON" -c 'import os; os.kill(os.getpid(), 15)'; echo $?""",
        """"$PYTHON" -m skill_plugin nonsense""",
    ],
)
def test_it_is_like_python(script: str, tmp_path: Path) -> None:
    ours, theirs = both(script, tmp_path)
    assert ours == theirs


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_ends_it_ends_what_it_runs(number: signal.Signals, tmp_path: Path) -> None:
    code = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    process = subprocess.Popen([warm_python(), "-c", code])
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait() == -number
    pid, deadline = int((tmp_path / "pid").read_text()), time.monotonic() + 20
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
