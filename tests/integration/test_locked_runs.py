"""Two runs never write into one folder at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.errors import InputError
from skill_plugin.files.locks import locked

pytestmark = pytest.mark.slow


def test_a_second_run_into_one_folder_is_refused(
    train: Callable[..., Any], train_here: Callable[..., None], tmp_path: Path
) -> None:
    at_work = rf"run: another run is at work here \(process {os.getpid()}\); wait until it has ended"
    (tmp_path / "run").mkdir()
    with locked(tmp_path / "run" / ".lock", tmp_path / "run", "another run"):
        with pytest.raises(InputError, match=at_work):
            train_here(tmp_path / "run", "--max-update", 1)
        ranks = ("--distributed-world-size", 2, "--distributed-port", -1)
        refused = train(tmp_path / "run", "--max-update", 1, *ranks, good=False)
        assert refused.status == 1
        assert f"another run is at work here (process {os.getpid()})" in refused.output.splitlines()[-1]
        assert "Traceback" not in refused.output
        assert os.listdir(tmp_path / "run") == [".lock"]
    run = train(tmp_path / "run", "--max-update", 1)
    assert sorted(os.listdir(run.folder)) == ["checkpoint_best.pt", "checkpoint_last.pt", "log.jsonl"]
