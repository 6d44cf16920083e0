"""Programs in processes of their own: logs, failures, and their end."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.files.locks import locked
from skill_plugin.runs.error_line import error_line
from skill_plugin.runs.logged_programs import LoggedPrograms, Stopped


def code(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def test_what_it_says_goes_to_the_end_of_the_log(tmp_path: Path) -> None:
    programs, log = LoggedPrograms(), tmp_path / "made/run.log"
    programs.run(code("import os; print(os.environ['WORD'])"), log, {"WORD": "first"})
    programs.run(code("import sys; print('second', file=sys.stderr)"), log)
    lines = log.read_text().splitlines()
    assert [line for line in lines if not line.startswith("$ ")] == ["first", "second"]
    assert lines[0].startswith(f"$ {sys.executable} -c ")


def test_a_failure_is_one_line(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    with pytest.raises(InputError) as error:
        LoggedPrograms().run(code("raise ValueError('no room')"), log)
    assert str(error.value) == f"ValueError: no room; see {log}"
    with pytest.raises(InputError, match="no such file or directory"):
        LoggedPrograms().run([str(tmp_path / "nothing")], log)


def test_who_was_killed_is_told_beside_the_last_line(tmp_path: Path) -> None:
    """Whatever bytes that is, and where the log has gone."""
    log = tmp_path / "run.log"
    for name, memory in (("SIGKILL", ", as programs are where memory runs out"), ("SIGTERM", ""), ("SIGSEGV", "")):
        caught = "import os, signal; print('ValueError: caught', flush=True)"
        killed = f"{caught}; os.write(1, b'epoch 2 \\xff\\x1b[31m'); os.kill(os.getpid(), signal.{name})"
        with pytest.raises(InputError) as error:
            LoggedPrograms().run(code(killed), log)
        assert str(error.value) == f"killed by {name}{memory}; its last line: epoch 2 \ufffd\\x1b[31m; see {log}"
    with pytest.raises(InputError) as error:
        LoggedPrograms().run(code(f"import os; os.remove({str(log)!r}); os.kill(os.getpid(), 9)"), log)
    assert str(error.value).endswith(f"its last line: its log: no such file or directory; see {log}")
    with pytest.raises(InputError) as error:
        LoggedPrograms().run(code("raise ValueError('x' * 9000)"), log)
    assert len(str(error.value)) < 600 + len(str(log))


def test_the_line_that_says_why() -> None:
    log = 'Traceback (most recent call last):\n  File "x"\ntorch.OutOfMemoryError: no room\nleaked semaphore\n\n'
    assert error_line(log) == "torch.OutOfMemoryError: no room"
    assert error_line("| INFO | begin\n--experts 9: expected less\n") == "--experts 9: expected less"
    assert error_line("") == "it said nothing"


def test_stop_ends_what_runs_and_what_that_started(tmp_path: Path) -> None:
    """The program's own child keeps a lock, which is free again once both have ended."""
    child = "import subprocess, sys; print('up', flush=True); subprocess.run(['sleep', '60'], close_fds=False)"
    log, errors = tmp_path / "run.log", []
    with locked(tmp_path / ".lock", tmp_path, "a test") as lock:
        programs = LoggedPrograms([lock])

        def run() -> None:
            try:
                programs.run(code(child), log)
            except Stopped as error:
                errors.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        while not log.exists() or "up" not in log.read_text().splitlines():
            time.sleep(0.02)
        programs.stop()
        thread.join(30)
    assert len(errors) == 1
    with locked(tmp_path / ".lock", tmp_path, "a test"):
        pass
    with pytest.raises(Stopped):
        programs.run(code(""), log)
