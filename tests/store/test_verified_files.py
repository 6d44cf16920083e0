"""A file whose checksum was compared is read again when it has changed in any way, and not before."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.store import checksums as checksums_module
from skill_plugin.store import verified_files
from skill_plugin.store.checksums import folder_checksums, verify_files
from tests.opened_files import opened_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "data"
    (folder / "input0").mkdir(parents=True)
    for name in ("input0/train.bin", "input0/train.idx", "text"):
        (folder / name).write_bytes(os.urandom(1000))
    return folder


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if all files had lain there for long."""
    monkeypatch.setattr(verified_files, "_SETTLED", 0.0)


def read_by(folder: Path, checksums: dict[str, str]) -> set[str]:
    """The files that a new process would read, to verify them."""
    checksums_module._digest.cache_clear()
    with opened_files() as opened:
        verify_files(folder, checksums)
    return {name for name in checksums if opened[(folder / name).absolute()]}


@pytest.mark.usefixtures("settled")
def test_only_what_changed_is_read_again(folder: Path) -> None:
    checksums = folder_checksums(folder)
    assert read_by(folder, checksums) == set(checksums)
    assert read_by(folder, checksums) == set()
    (folder / "text").touch()
    assert read_by(folder, checksums) == {"text"}
    assert read_by(folder, checksums) == set()
    shutil.move(folder, folder.with_name("moved"))
    shutil.copytree(folder.with_name("moved"), folder)  # with the times of the files
    assert read_by(folder, checksums) == set(checksums)


@pytest.mark.usefixtures("settled")
def test_a_change_with_the_old_times_is_found(folder: Path) -> None:
    checksums = folder_checksums(folder)
    verify_files(folder, checksums)
    path = folder / "input0/train.bin"
    before, content = path.stat(), bytearray(path.read_bytes())
    content[500] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    checksums_module._digest.cache_clear()
    for _ in range(2):
        with pytest.raises(InputError, match=r"train.bin: damaged: not as it was written"):
            verify_files(folder, checksums)
    path.unlink()
    with pytest.raises(InputError, match=r"train.bin: no such file"):
        verify_files(folder, checksums)


def test_what_was_just_written_is_read_again(folder: Path) -> None:
    """It could change once more within the time that the file system tells apart."""
    checksums = folder_checksums(folder)
    assert read_by(folder, checksums) == read_by(folder, checksums) == set(checksums)


@pytest.mark.usefixtures("settled")
def test_another_checksum_counts(folder: Path) -> None:
    checksums = folder_checksums(folder)
    verify_files(folder, checksums)
    with pytest.raises(InputError, match="text: damaged"):
        verify_files(folder, {**checksums, "text": checksums["input0/train.idx"]})


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("content", ["", "[]", "{", '{"text": 3}', '{"text": [1, 2, 3]}', '{"text": [1, 2, 3, 4, 5]}'])
def test_a_damaged_cache_is_none(folder: Path, tmp_path: Path, content: str) -> None:
    checksums = folder_checksums(folder)
    verify_files(folder, checksums)
    (cache,) = (tmp_path / "cache/skill_plugin/verified").iterdir()
    cache.write_text(content)
    assert read_by(folder, checksums) == set(checksums)
    assert read_by(folder, checksums) == set()


@pytest.mark.usefixtures("settled")
def test_without_a_place_for_the_cache_all_is_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    checksums = folder_checksums(folder)
    assert read_by(folder, checksums) == read_by(folder, checksums) == set(checksums)
