"""Made corpora, prepared, and an encoder that was trained on some of them, for scripts that train."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import warm_process

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, **warm_process.ONE_THREAD}


@dataclass(frozen=True)
class Made:
    """Made corpora, their data folder, and an encoder of the size tiny."""

    corpora: Path
    data: Path
    encoder: Path


def execute(*command: object, timeout: float = 600) -> tuple[int, str, str]:
    """Exit status and both streams of a Python program."""
    done = warm_process.run(
        [sys.executable, *command], capture_output=True, text=True, env=ENVIRONMENT, timeout=timeout
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("made")
    corpora, data, vocabulary = folder / "corpora.yaml", folder / "data", folder / "sentencepiece.model"
    for command in (
        [ROOT / "scripts/make_corpora", folder, "--rows", "40"],
        ["-m", "skill_plugin", "prepare", corpora, data, "--tokenizer", vocabulary],
        ["-m", "fairseq_cli.train", data, "--user-dir", ROOT / "skill_plugin", "--task", "multilingual_multitask",
         "--corpora", corpora, "--only-corpora", "questions-en,names-en", "--arch", "dense_tiny", "--cpu",
         "--criterion", "multitask_cross_entropy", "--optimizer", "skill_adam", "--lr", "1e-3", "--batch-size", "8",
         "--max-update", "1", "--disable-validation", "--save-dir", folder / "encoder", "--num-workers", "0"],
    ):  # fmt: skip
        status, out, err = execute(*command)
        assert status == 0, out[-2000:] + err
    return Made(corpora, data, folder / "encoder/checkpoint_last.pt")
