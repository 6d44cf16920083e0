"""Where outputs are written until they are whole: it is gone with its process, or by the next one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from skill_plugin.files.partial import partial
from skill_plugin.files.whole_file import whole_file
from skill_plugin.files.whole_folder import whole_folder

WRITES = """
import sys, time
from pathlib import Path
from skill_plugin.files.whole_file import whole_file
from skill_plugin.files.whole_folder import whole_folder

with {writer}(Path(sys.argv[1])) as beside:
    (beside / "file" if beside.is_dir() else beside).write_text("half")
    print("begun", flush=True)
    time.sleep(600)
"""


def begin(writer: str, out: Path) -> subprocess.Popen[str]:
    """A process that has begun to write."""
    command = [sys.executable, "-c", WRITES.format(writer=writer), str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    return process


@pytest.mark.parametrize("writer", ["whole_file", "whole_folder"])
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path, writer: str) -> None:
    out = tmp_path / ("n" * 250)
    with begin(writer, out) as killed, begin(writer, out) as alive:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        (tmp_path / f"{out.name[:40]}.partial-mine").write_text("of somebody else")
        assert len(os.listdir(tmp_path)) == 3
        if writer == "whole_file":
            with whole_file(out) as beside:
                beside.write_text("whole")
        else:
            with whole_folder(out) as beside:
                (beside / "file").write_text("whole")
        left = sorted(set(os.listdir(tmp_path)) - {out.name})
        assert len(left) == 2, "of the one that is alive, and of somebody else"
        assert "".join(map(str, (tmp_path / left[0]).rglob("*"))), "that it writes to is as it was"
        alive.kill()
    assert [path.read_text() for path in (out.iterdir() if out.is_dir() else [out])] == ["whole"]


def test_each_has_its_own(tmp_path: Path) -> None:
    with partial(tmp_path / "out") as first, partial(tmp_path / "out") as second:
        first.write_text("1")
        second.mkdir()
        assert first.read_text() == "1"
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root may list any folder")
def test_a_folder_that_may_be_written_but_not_listed(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from skill_plugin.files.whole_file import write_text
write_text(Path({str(tmp_path / "box" / "out")!r}), "whole")
"""
    (tmp_path / "box").mkdir()
    (tmp_path / "box").chmod(0o300)
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs"]
    subprocess.run([*drop * (os.geteuid() == 0), sys.executable, "-c", code], check=True)
    assert (tmp_path / "box" / "out").read_text() == "whole"
