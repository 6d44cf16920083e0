"""A run on a terminal shows lines that stay in place, and nowhere else."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import struct
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import warm_process
from tests.integration.conftest import ENVIRONMENT

pytestmark = pytest.mark.slow
UP = re.compile(r"\x1b\[\d*A")  # to where the lines begin
STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(command: list[str], stop_at: bytes | None = None) -> tuple[int, str]:
    """Exit status of a program, and what a terminal of 80 columns got; at some words it gets Ctrl-C."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**ENVIRONMENT, "TERM": "xterm-256color"}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    process = warm_process.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    got = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # nobody has the other end any more
            break
        if not part:
            break
        got += part
        if stop_at is not None and stop_at in got:
            process.send_signal(signal.SIGINT)
            stop_at = None
    os.close(ours)
    try:
        return process.wait(60), got.decode()
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def shown_last(got: str) -> list[str]:
    """The last picture, and what follows."""
    return [STYLE.sub("", line).strip() for line in UP.split(got)[-1].splitlines()]


def options(arguments: Callable[..., list[str]], folder: Path, *more: object) -> list[str]:
    words = arguments(folder, *more)
    del words[words.index("--log-format") : words.index("--log-format") + 2]
    return words


def test_the_lines_stay_in_place(arguments: Callable[..., list[str]], tmp_path: Path) -> None:
    status, got = on_terminal(options(arguments, tmp_path, "--max-update", 12, "--validate-interval-updates", 6))
    assert status == 0, got[-3000:]
    assert len(UP.findall(got)) > 3
    picture = shown_last(got)
    assert any(line.startswith("update 12 of 12, epoch 1") for line in picture), picture
    assert any(line.startswith("valid after 12 updates: avg 0.") for line in picture)
    assert any(re.fullmatch(r"nli-en +\S+% .* accuracy +0\.\d{4} +0\.\d{4}", line) for line in picture)
    assert any(line.startswith("and 2 more") for line in picture)  # of fourteen
    assert "done training" in picture[-1]
    drawn = got[UP.search(got).start() : got.rindex("\x1b[")]  # type: ignore[union-attr]
    assert "Preparing to save checkpoint" not in drawn
    assert "\x1b[?25l" not in got[got.rindex("\x1b[?25h") :]  # the cursor is there
    assert (tmp_path / "log.jsonl").exists()


def test_ctrl_c_leaves_the_terminal_as_it_was(arguments: Callable[..., list[str]], tmp_path: Path) -> None:
    status, got = on_terminal(options(arguments, tmp_path, "--max-update", 3000), stop_at=b"lr 0.001")
    assert status == -signal.SIGINT or status == 1, got[-2000:]
    assert shown_last(got)[-1] == "interrupted"
    assert "Traceback" not in got
    assert "\x1b[?25l" not in got[got.rindex("\x1b[?25h") :]


def test_in_a_pipe_there_are_plain_lines(
    arguments: Callable[..., list[str]], tmp_path: Path, train: Callable[..., Any]
) -> None:
    run = train(tmp_path, "--max-update", 2, "--log-format", "tqdm")  # as without the option
    assert "\x1b" not in run.output and "\r" not in run.output
    assert "| train_inner | update 2 of 2" in run.output
