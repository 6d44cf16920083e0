"""A copy of a checkpoint that is cut short leaves the old file as it was."""

import os
import signal
import subprocess
import sys
import time

import pytest
from fairseq.file_io import PathManager

from tests import warm_process
from tests.compat.fairseq_runs import unpatch

COPY = """
import os, shutil, time
from skill_plugin.compat import whole_copies
from fairseq.file_io import PathManager

def slowly(source, target):
    with open(source, "rb") as read, open(target, "wb") as write:
        while block := read.read(1 << 16):
            write.write(block)
            write.flush()
            time.sleep(0.01)

shutil.copyfile = slowly
del os.copy_file_range  # where a file system has no better way
if {patched}:
    whole_copies.install()
print("ready", flush=True)
PathManager.copy({source!r}, {target!r}, overwrite=True)
"""


def cut_short(source, target, patched):
    """Copies a file in another process and kills it meanwhile."""
    code = COPY.format(source=str(source), target=str(target), patched=patched)
    with warm_process.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        while "ready" not in process.stdout.readline():
            pass
        time.sleep(0.1)
        os.kill(process.pid, signal.SIGKILL)


@pytest.fixture
def checkpoints(tmp_path):
    source, target = tmp_path / "checkpoint1.pt", tmp_path / "checkpoint_last.pt"
    source.write_bytes(b"new" * (1 << 22))
    target.write_bytes(b"old" * 100)
    return source, target


@pytest.mark.slow
def test_killed_while_copying(checkpoints):
    source, target = checkpoints
    cut_short(source, target, patched=True)
    assert target.read_bytes() == b"old" * 100
    assert (target.parent / "checkpoint_last.pt.tmp").exists(), "it was killed before it began"

    assert PathManager.copy(str(source), str(target), overwrite=True)  # what was left behind is no hindrance
    assert target.read_bytes() == source.read_bytes()
    assert sorted(file.name for file in target.parent.iterdir()) == ["checkpoint1.pt", "checkpoint_last.pt"]


@pytest.mark.slow
def test_without_the_patch_the_old_file_is_gone(checkpoints):
    source, target = checkpoints
    cut_short(source, target, patched=False)
    assert target.read_bytes() not in (b"old" * 100, source.read_bytes())


def test_copies_are_files_of_their_own(checkpoints):
    source, target = checkpoints
    PathManager.copy(str(source), str(target), overwrite=True)
    source.write_bytes(b"overwritten in place")
    assert target.read_bytes() == b"new" * (1 << 22)


def test_a_full_disk_leaves_the_old_file(checkpoints, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    source, target = checkpoints
    monkeypatch.setattr("os.copy_file_range", full)
    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(OSError, match="No space"):
        PathManager.copy(str(source), str(target), overwrite=True)
    assert target.read_bytes() == b"old" * 100
    unpatch(monkeypatch, PathManager, "copy")
