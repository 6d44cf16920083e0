"""A folder is there whole, or as it was before."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.files.whole_folder import whole_folder


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize("there", [False, True])
def test_it_is_there_when_the_block_has_ended(tmp_path: Path, there: bool) -> None:
    out = tmp_path / "a/b/out"
    if there:
        out.mkdir(parents=True)
    with whole_folder(out) as beside:
        (beside / "file").write_text("whole")
        assert not out.exists() or not any(out.iterdir())
    assert everything(tmp_path) == {"a", "a/b", "a/b/out", "a/b/out/file"}


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o755), (0o077, 0o700)])
def test_who_may_read_it_is_as_for_any_folder(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        with whole_folder(tmp_path / "out"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == mode


@pytest.mark.parametrize("above", [[], ["a"], ["a", "a/b"], ["a", "a/b", "a/b/out"]])
def test_a_block_that_fails_leaves_what_was_there(tmp_path: Path, above: list[str]) -> None:
    for folder in above:
        (tmp_path / folder).mkdir()

    def fail() -> None:
        with whole_folder(tmp_path / "a/b/out") as beside:
            (beside / "file").write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert everything(tmp_path) == set(above)


def test_where_no_folder_can_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError) as error, whole_folder(tmp_path / "file/out"):
        pass
    assert str(error.value).startswith(f"{tmp_path / 'file/out'}: ")
