"""``fairseq-hydra-train`` trains what ``fairseq-train`` trains."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

pytestmark = pytest.mark.slow
CONFIG = Path(__file__).parent / "conf"
PLUGIN = Path(__file__).parents[2] / "skill_plugin"


def test_the_same_weights_as_the_command_line(train: Callable[..., Any], made: Any, tmp_path: Path) -> None:
    expected = train(tmp_path / "cli", "--max-update", 3, arch="skillnet_x_ffn_tiny").checkpoint()["model"]
    done = subprocess.run(
        [
            sys.executable, "-m", "fairseq_cli.hydra_train", "--config-dir", CONFIG, "--config-name", "tiny",
            f"common.user_dir={PLUGIN}", f"task.data={made.data}", f"task.corpora={made.corpora}",
            f"checkpoint.save_dir={tmp_path / 'hydra'}", f"hydra.run.dir={tmp_path / 'outputs'}",
        ],
        capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    trained = torch.load(tmp_path / "hydra" / "checkpoint_last.pt", weights_only=True)["model"]
    assert trained.keys() == expected.keys()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in trained.items())
