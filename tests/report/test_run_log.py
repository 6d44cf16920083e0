"""Which lines of a run's log count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.errors import InputError
from skill_plugin.report.run_log import read_run_log


def write(path: Path, *lines: tuple[str, int], end: str = "\n") -> Path:
    path.write_text("\n".join(json.dumps({"event": event, "update": n}) for event, n in lines) + end)
    return path


def read(path: Path) -> list[Any]:
    return [(line["event"], line["update"]) for line in read_run_log(path)]


def test_what_was_lost_before_a_run_went_on_does_not_count(tmp_path: Path) -> None:
    first = [("start", 0), ("train", 10), ("valid", 10), ("train", 20), ("end", 25)]
    again = [("start", 10), ("train", 20), ("train", 30)]
    log = write(tmp_path / "log.jsonl", *first, *again)
    assert read(log) == first[:3] + again
    anew = [("start", 0), ("train", 10)]
    assert read(write(log, *first, *again, *anew)) == [("start", 0), *anew]  # a start at 0 takes nothing over


def test_a_line_that_is_being_written_is_left_out(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", ("start", 0), ("train", 10))
    log.write_text(log.read_text() + '{"event": "tra')
    assert read(log) == [("start", 0), ("train", 10)]
    assert read(write(log, ("start", 0), ("train", 10), end="")) == [("start", 0)]


@pytest.mark.parametrize("line", ["[]", '{"event": "train"}', '{"event": 1, "update": 2}', "no json"])
def test_another_file_is_refused_with_its_line(line: str, tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", ("start", 0))
    log.write_text(log.read_text() + line + "\n")
    with pytest.raises(InputError, match=r"log\.jsonl:2: (expected a line of a run's log|not JSON)"):
        read_run_log(log)
