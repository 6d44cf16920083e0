"""A longest sequence without room for texts is refused by check, prepare and training in the same words."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.conftest import Made, Run, execute

pytestmark = pytest.mark.slow


def told(output: str) -> list[str]:
    """What is said of longest sequences, each with its place."""
    return re.findall(r"\S+corpora\.yaml:\d+: corpus '[^']*': the longest sequence has .*", output)


def test_commands(every_kind: Made, train: Callable[..., Run], tmp_path: Path) -> None:
    shutil.copytree(every_kind.corpora.parent / "raw", tmp_path / "raw")
    short = tmp_path / "corpora.yaml"
    text = every_kind.corpora.read_text(encoding="utf-8")
    short.write_text(re.sub(r"^    kind: .*$", r"\g<0>\n    max_length: 4", text, flags=re.MULTILINE), encoding="utf-8")
    plugin = (sys.executable, "-m", "skill_plugin")
    status, output = execute(*plugin, "check", short, "--tokenizer", every_kind.tokenizer)
    checked = told(output)
    assert (status, len(checked)) == (1, len(set(checked)))
    for name in ("nli-en", "similarity-en", "choices-en", "questions-en", "senses-en", "documents-es"):
        assert sum(f"corpus '{name}'" in line for line in checked) == 1
    assert all(line.endswith("the longest sequence has 4 tokens; expected at least 5") for line in checked)
    status, output = execute(*plugin, "prepare", short, tmp_path / "data", "--tokenizer", every_kind.tokenizer)
    assert (status, told(output)) == (1, checked)
    assert not (tmp_path / "data").exists()
    run = train(tmp_path / "run", "--corpora", short, "--max-update", 1, data=every_kind.data, good=False)
    assert run.status == 1
    assert [line in checked for line in told(run.output)] == [True], run.output
    run = train(tmp_path / "run", "--corpora", every_kind.corpora, "--max-length", 4, data=every_kind.data, good=False)
    (line,) = told(run.output)
    assert line.endswith("the longest sequence has 4 tokens; expected at least 5")
