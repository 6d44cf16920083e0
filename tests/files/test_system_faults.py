"""What the operating system refuses is one line of which a person learns what and where."""

from __future__ import annotations

import errno
import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from skill_plugin.errors import InputError, shown
from skill_plugin.files.system_faults import fault_in_text, system_fault
from tests import warm_process


def fails(call: object) -> BaseException:
    try:
        call()  # type: ignore[operator]
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("file", ["none/x", "a'b/x"])
def test_an_os_error_names_its_file_also_from_the_text_of_another_process(tmp_path: Path, file: str) -> None:
    error = fails((tmp_path / file).open)
    assert system_fault(error) == f"{tmp_path / file}: no such file or directory"
    text = "".join(traceback.format_exception(error))
    expected = f"{tmp_path / file}: no such file or directory" if "'" not in file else "no such file or directory"
    assert fault_in_text(text) == expected


def test_what_torch_says_of_a_folder_that_is_gone(tmp_path: Path) -> None:
    error = fails(lambda: torch.save([0], tmp_path / "gone" / "x.pt"))
    assert system_fault(error) == "no such file or directory"


def test_what_libraries_say_of_a_full_disk() -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        assert system_fault(fails(lambda: full.write(b"x"))) == "no space left on device"
    fault = system_fault(fails(lambda: torch.save(torch.zeros(9000), "/dev/full")))
    assert fault == "cannot be written to its end; is the disk full?"
    safetensors = (
        'Error while serializing: IoError(Os { code: 28, kind: StorageFull, message: "No space left on device" })'
    )
    assert fault_in_text(f"safetensors_rust.SafetensorError: {safetensors}") == "no space left on device"
    assert fault_in_text("Exception: No such file or directory (os error 2)") == "no such file or directory"


@pytest.mark.parametrize("error", [ValueError("x"), RuntimeError("size mismatch"), KeyError("a"), AssertionError()])
def test_other_errors_are_not_the_systems(error: Exception) -> None:
    assert system_fault(error) is None


def test_memory() -> None:
    assert system_fault(MemoryError()) == "out of memory"
    assert system_fault(fails(lambda: torch.empty(1 << 60))) == "out of memory"


def test_errors_survive_pickling() -> None:
    error = pickle.loads(pickle.dumps(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "f")))
    assert system_fault(error) == "f: no space left on device"


@pytest.mark.parametrize("text", ["plain text é 中 ✓ \u200d", "a\\b"])
def test_text_is_shown_as_it_is(text: str) -> None:
    assert shown(text) == text


def test_what_steers_a_terminal_is_shown_as_an_escape() -> None:
    assert shown("\x1b[31m\x07\x9b2J\r\n\u202e") == r"\x1b[31m\x07\x9b2J\r\n\u202e"


def command(arguments: Sequence[object], redirect: str) -> tuple[int, str]:
    """Exit status and standard error of ``skill-plugin`` whose streams a shell redirects."""
    program = f'exec "$@" {redirect}'
    code = "import sys; from skill_plugin.cli.main import main; main(sys.argv[1:])"
    done = subprocess.run(
        ["bash", "-c", program, "-", sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **warm_process.ONE_THREAD, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("arguments", "redirect", "message"),
    [
        (["--help"], ">/dev/full", "no space left on device"),
        (["--help"], ">&-", "standard output: closed"),
        (["check", "x" * 300], "", "file name too long"),
        (["predict", "none.pt", "--corpus", "c", "-"], "<&-", "standard input: closed"),
        (["check", "none.yaml"], "2>/dev/full", None),
        (["check", "none.yaml"], "2>&-", None),
    ],
)
def test_streams_that_are_full_or_closed(arguments: list[str], redirect: str, message: str | None) -> None:
    status, err = command(arguments, redirect)
    assert status == 1
    if message is None:
        assert err == ""
    else:
        assert len(err.splitlines()) == 1
        assert message in err.lower()


def test_hostile_names_do_not_steer_the_terminal() -> None:
    status, err = command(["check", "no\x1b]0;title\x07ne.yaml"], "")
    assert status == 1
    assert "\x1b" not in err and r"no\x1b]0;title\x07ne.yaml" in err


def test_tables_do_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table

    from skill_plugin.cli.output import console

    table = Table("name")
    table.add_row("red \x1b[31m text")
    console().print(table)
    console().print("\x1b[2J", markup=False)
    out = capsys.readouterr().out
    assert "\x1b" not in out and r"red \x1b[31m text" in out


def test_an_input_error_has_its_place() -> None:
    assert str(InputError("no", "f", 3)) == "f:3: no"
