from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.files.whole_file import check_output, whole_file, whole_stream


def write(path: Path, text: str = "new") -> None:
    with whole_file(path) as beside:
        beside.write_text(text)


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "made" / ("n" * 250)  # the name beside it must not be too long
    write(path, "old")
    path.chmod(0o640)
    with pytest.raises(TypeError), whole_file(path) as beside:
        (beside.write_text("half"), beside.write_text(None))  # type: ignore[arg-type]
    assert (path.read_text(), os.listdir(path.parent)) == ("old", [path.name])
    write(path)
    assert (path.read_text(), os.listdir(path.parent)) == ("new", [path.name])
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "file").write_text("old")
    (tmp_path / "link").symlink_to("far/file")
    (tmp_path / "second").symlink_to("link")
    (tmp_path / "dangling").symlink_to("far/other")
    for name, place in (("second", "file"), ("dangling", "other")):
        write(tmp_path / name)
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / "far" / place).read_text() == "new"
    assert not (tmp_path / "far" / "file").is_symlink()
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InputError, match="symbolic links that lead to one another"):
        write(tmp_path / "a")


@pytest.mark.parametrize("writer", [whole_file, whole_stream])
def test_pipes_and_devices_stay_what_they_are(tmp_path: Path, writer: object) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    if writer is whole_file:
        write(pipe)
    else:
        with whole_stream(pipe) as stream:
            stream.write(b"new")
    reader.join()
    assert read == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]
    null = tmp_path / "null"  # a link, so that a fault here leaves the machine's own alone
    null.symlink_to("/dev/null")
    write(null)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_standard_output_goes_on_after_what_was_printed(tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to("/dev/stdout")
    program = (
        "import sys\nfrom pathlib import Path\nfrom skill_plugin.files.whole_file import whole_file\nprint('first')\n"
        "with whole_file(Path(sys.argv[1])) as beside:\n    beside.write_text('second\\n')\nprint('third')\n"
    )
    command = [sys.executable, "-c", program, name]
    for_pipe = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, check=True).stdout
    with (tmp_path / "out").open("wb") as out:
        subprocess.run(command, cwd=tmp_path, stdout=out, check=True)
    assert for_pipe == (tmp_path / "out").read_bytes() == b"first\nsecond\nthird\n"


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory"):
        write(tmp_path)
    with pytest.raises(InputError, match="file name too long"):
        write(tmp_path / ("n" * 300))
    with (
        pytest.raises(InputError, match=r"^/dev/full: no space left on device"),
        whole_stream(Path("/dev/full")) as file,
    ):
        file.write(b"new")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"file/below: (not a directory|file exists)"):
        write(tmp_path / "file" / "below")


def test_an_output_is_not_an_input(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    (tmp_path / "link").symlink_to("f")
    with pytest.raises(InputError, match="is read and to be written; name another file to write"):
        check_output(tmp_path / "link", None, tmp_path / "f")
    check_output(tmp_path / "other", tmp_path / "f", "-")
    check_output("/dev/null", "/dev/null")


def test_where_nothing_can_be_written_is_told_beforehand(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for output, message in (
        (tmp_path, "is a directory"),
        (tmp_path / "file" / "below", "not a directory"),
        (Path("/proc/below"), ""),  # the reason depends on the system
    ):
        with pytest.raises(InputError, match=f"^{output}: {message}"):
            check_output(output)
    check_output(tmp_path / "new" / "folder" / "file")
    check_output("-")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
