"""Measured tables of examples/*/results are what the results.json beneath them give."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEASURED = sorted((ROOT / "examples").glob("*/results/tables.sh"))


def test_there_are_some() -> None:
    assert MEASURED


@pytest.mark.parametrize("script", MEASURED, ids=lambda script: script.parts[-3])
def test_tables_are_those_of_the_results(script: Path, tmp_path: Path) -> None:
    work = script.parent.parent
    shutil.copytree(work, tmp_path / "examples" / work.name)
    shutil.copy(ROOT / "examples/recipes.sh", tmp_path / "examples")
    for room in ("scripts", "skill_plugin"):
        (tmp_path / room).symlink_to(ROOT / room)
    here = tmp_path / "examples" / work.name / "results"
    for table in here.glob("*.md"):
        table.unlink()
    done = subprocess.run(
        ["bash", str(here / script.name)], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    tables = {table.name: table.read_text() for table in script.parent.glob("*.md")}
    assert {table.name: table.read_text() for table in here.glob("*.md")} == tables
