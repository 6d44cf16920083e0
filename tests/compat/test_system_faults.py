"""Full disks, folders that may not be written, Ctrl-C and killed ranks end a run in one line."""

import os
import signal
import subprocess
import time

import pytest
import torch
from fairseq import checkpoint_utils
from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException

from skill_plugin.compat import install
from skill_plugin.compat.one_line_errors import one_line
from skill_plugin.errors import InputError
from tests import warm_process
from tests.compat.fairseq_runs import PROGRAMS, TOY, TRAIN, train

install()


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    file = tmp_path / "checkpoint_last.pt"
    checkpoint_utils.torch_persistent_save({"a": torch.zeros(3)}, str(file))
    before = file.read_bytes()
    os.symlink("/dev/full", f"{file}.tmp")  # where it is written first
    with pytest.raises(InputError, match=r"checkpoint_last.pt: cannot be written to its end; is the disk full\?"):
        checkpoint_utils.torch_persistent_save({"a": torch.ones(9000)}, str(file))
    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ProcessExitedException("", 1, 7, -9, "SIGKILL"), "rank 1 was killed by SIGKILL; the others were stopped"),
        (ProcessExitedException("", 0, 7, 3), "rank 0 ended with status 3; the others were stopped"),
        (
            ProcessRaisedException("Traceback\nOSError: [Errno 28] No space left on device: '/a/b'\n", 0, 7),
            "/a/b: no space left on device",
        ),
        (
            ProcessRaisedException("RuntimeError: [x/gloo/pair.cc:1] Connection closed by peer [::1]:2\n", 0, 7),
            "another rank ended, and this one lost its connection to it",
        ),
        (KeyboardInterrupt(), "interrupted"),
        (FileExistsError(17, "File exists", "/save"), "/save: file exists"),
        (ProcessRaisedException("Traceback\nZeroDivisionError: division by zero", 0, 7), None),
        (ValueError("a bug"), None),
    ],
)
def test_lines(error, line):
    assert one_line(error) == line


@pytest.mark.slow
def test_a_save_dir_below_a_file(tmp_path):
    (tmp_path / "file").touch()
    train(tmp_path / "file" / "run").assert_stopped_with(f"{tmp_path}/file/run: not a directory")


@pytest.mark.slow
def test_a_full_standard_output(tmp_path):
    command = [str(PROGRAMS / "fairseq-train"), *TRAIN.format(toy=TOY, save=tmp_path).split()]
    with open("/dev/full", "w") as full:
        done = warm_process.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "no space left on device"


def ranks_of(process):
    """The processes that it spawned."""
    table = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout.splitlines()
    pairs = [tuple(map(int, line.split())) for line in table]
    return sorted(pid for pid, parent in pairs if parent == process.pid)


def running(pid):
    state = subprocess.run(["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return state.strip() not in ("", "Z")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "to"), [(signal.SIGINT, "launcher"), pytest.param(signal.SIGKILL, "rank", marks=pytest.mark.long)]
)
def test_two_ranks_that_are_stopped(tmp_path, sent, to):
    options = "--distributed-world-size 2 --distributed-backend gloo --max-update 1000000 --no-save"
    command = [str(PROGRAMS / "fairseq-train"), *TRAIN.format(toy=TOY, save=tmp_path).split(), *options.split()]
    with (tmp_path / "out").open("w") as out, (tmp_path / "err").open("w") as err:
        process = subprocess.Popen(
            command, stdout=out, stderr=err, env={**os.environ, **warm_process.ONE_THREAD}, start_new_session=True
        )
        try:
            while "num_updates" not in (tmp_path / "out").read_text() and process.poll() is None:
                time.sleep(0.1)
            ranks = [pid for pid in ranks_of(process) if running(pid)]
            os.kill(process.pid if to == "launcher" else ranks[-1], sent)
            status = process.wait(60)
            end = time.monotonic() + 10  # one of them is multiprocessing's tracker, which ends after the launcher
            while (still := [pid for pid in ranks if running(pid)]) and time.monotonic() < end:
                time.sleep(0.1)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    lines = (tmp_path / "err").read_text().splitlines()
    assert status != 0
    assert not still
    assert len(lines) == 1, lines
    assert lines[0] in ("interrupted", "another rank ended, and this one lost its connection to it") or (
        "was killed by SIGKILL; the others were stopped" in lines[0]
    )
