"""Folders and files whose paths have colons, spaces or signs of any script work throughout."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import Run, execute

pytestmark = pytest.mark.slow


def test_colons_and_spaces(train: Callable[..., Run], made: Any, tmp_path: Path) -> None:
    folder = tmp_path / "a:b c 中"
    data = folder / "data:bin"
    shutil.copytree(made.data, data)
    shutil.copytree(made.corpora.parent / "raw", folder / "raw")
    corpora = folder / "corpora: 1.yaml"
    shutil.copy(made.corpora, corpora)
    command = [sys.executable, "-m", "skill_plugin"]
    prepare = [*command, "prepare", corpora, data, "--tokenizer", made.tokenizer, "--only-corpora", "nli-en"]
    status, output = execute(*prepare)
    assert status == 0, output
    run = train(folder / "run:1", "--corpora", corpora, "--max-epoch", 2, "--only-corpora", "nli-en", data=data)
    status, output = execute(*command, "evaluate", run.folder / "checkpoint_best.pt", data)
    assert status == 0, output
    assert "nli" in output
