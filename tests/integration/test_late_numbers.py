"""Numbers of an update that are looked at when the next one was launched, as on a GPU: logs are the same."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import execute

PROGRAM = Path(__file__).with_name("late_numbers_program.py")
# lines that are shown in mid-epoch, at the end of an epoch and of the run; validation and saving in between
OPTIONS = ("--max-update", 26, "--log-interval", 4, "--validate-interval-updates", 6, "--save-interval-updates", 9)
TIMES = ("wall", "ups", "wps", "wpb", "train_wall", "gb_free")


def logs(output: str) -> list[dict[str, Any]]:
    """The lines of a JSON log without what depends on the clock."""
    found = []
    for line in output.splitlines():
        if (start := line.find(" | {")) >= 0:
            values = json.loads(line[start + 3 :])
            found.append({name: value for name, value in values.items() if not name.endswith(TIMES)})
    return found


def tables(output: str) -> list[str]:
    """The lines of the tables of what was trained on."""
    return [line.split(" | ")[-1] for line in output.splitlines() if "training_run" in line]


@pytest.mark.slow
def test_logs_and_checkpoints_are_the_same(arguments: Callable[..., list[str]], tmp_path: Path) -> None:
    found, shown = [], []
    for program in (["-m", "fairseq_cli.train"], [PROGRAM]):
        _, _, _, *options = arguments(tmp_path / str(len(found)), *OPTIONS, "--clip-norm", 1.0)
        status, output = execute(sys.executable, *program, *options)
        assert status == 0, output[-3000:]
        found.append(logs(output))
        shown.append(tables(output))
    assert len(found[0]) > 10
    assert len([line for line in shown[0] if "trained on after" in line]) == 1
    assert shown[0] == shown[1]
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_run_without_finite_gradients_names_its_update(arguments: Callable[..., list[str]], tmp_path: Path) -> None:
    lines = []
    for program in (["-m", "fairseq_cli.train"], [PROGRAM]):
        _, _, _, *options = arguments(tmp_path / str(len(lines)), "--max-update", 20, "--lr", 1e9, "--log-interval", 9)
        status, output = execute(sys.executable, *program, *options)
        assert status == 1
        lines.append(output.strip().splitlines()[-1])
    assert "gradients are not finite (losses: " in lines[0]
    assert lines[0] == lines[1]
