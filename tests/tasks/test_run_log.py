"""A run's log is made of whole lines, whatever is left of an earlier run."""

from __future__ import annotations

import resource
import signal
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.tasks.run_log import RunLog


@pytest.mark.parametrize("left", ["", '{"a": 1}\n', '{"a": 1}\n{"b"', '{"b"', '{"a": 1}\n' + "x" * 200_000])
def test_lines_are_added_to_whole_ones(left: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(left)
    RunLog(path).append({"c": "ä", "d": float("nan")})
    assert path.read_text() == ('{"a": 1}\n' if left.startswith('{"a"') else "") + '{"c": "ä", "d": null}\n'


def test_what_cannot_be_written_is_told_and_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = RunLog(path)
    log.append({"a": 1})
    before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, before[0][1]))  # as a full disk: 50 bytes of a file
    try:
        with pytest.raises(InputError, match=r"log\.jsonl: file too large"):
            log.append({"b": "x" * 100})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before[0])
        signal.signal(signal.SIGXFSZ, before[1])
    assert path.read_text() == '{"a": 1}\n'
    with pytest.raises(InputError, match="is a directory"):
        RunLog(tmp_path)
