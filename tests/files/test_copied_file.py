"""A copy holds the same bytes and is a file of its own, whatever the file system can do."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.files.copied_file import copy_file

CONTENT = bytes(range(256)) * 5000
_cloned = os.copy_file_range


def in_parts(source: int, target: int, count: int) -> int:
    """As a file system that copies some of what it is asked for at a time."""
    return _cloned(source, target, min(count, 100_000))


def refused(*_: Any) -> int:
    raise OSError(errno.EXDEV, "Invalid cross-device link")


def of_some(source: int, target: int, count: int) -> int:
    """As one that fails in the middle."""
    return in_parts(source, target, count) if count == len(CONTENT) else refused()


@pytest.mark.parametrize("how", [_cloned, in_parts, refused, of_some, lambda *_: 0])
@pytest.mark.parametrize("content", [CONTENT, b""])
def test_all_is_copied(how: Any, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "copy_file_range", how)
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_bytes(content)
    target.write_bytes(b"before" * 1_000_000)
    copy_file(source, target)
    assert target.read_bytes() == content
    with target.open("r+b") as file:
        file.write(b"written in place")
    assert source.read_bytes() == content


def test_an_operating_system_without_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "copy_file_range")
    (tmp_path / "a").write_bytes(CONTENT)
    copy_file(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == CONTENT


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        copy_file(tmp_path / "a", tmp_path / "b")
