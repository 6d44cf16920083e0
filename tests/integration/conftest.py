"""Whole runs in processes of their own, most of them forks, over small made corpora."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import warm_process

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "skill_plugin"
ENVIRONMENT = {**os.environ, **warm_process.ONE_THREAD}


@dataclass(frozen=True)
class Made:
    """Made corpora: raw, prepared, and the SentencePiece model."""

    corpora: Path
    data: Path
    tokenizer: Path


@dataclass(frozen=True)
class Run:
    """A finished run: its exit status, what it printed, and where it saved."""

    status: int
    output: str
    folder: Path

    def log(self, key: str) -> list[dict[str, Any]]:
        """The JSON lines of the log that have a key."""
        lines = (line[line.index("{") :] for line in self.output.splitlines() if "| INFO |" in line and "{" in line)
        return [entry for entry in map(_json, lines) if key in entry]

    def checkpoint(self, name: str = "checkpoint_last.pt") -> dict[str, Any]:
        """A checkpoint of the run."""
        from skill_plugin.weights.torch_file import load_torch_file

        content: dict[str, Any] = load_torch_file(self.folder / name)
        return content


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def execute(*command: object, timeout: float = 300, fresh: bool = False) -> tuple[int, str]:
    """Exit status and both streams of a program in Python: a fork, or a fresh interpreter."""
    run = subprocess.run if fresh else warm_process.run
    done = run(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=ENVIRONMENT,
        timeout=timeout,
        check=False,
    )
    return done.returncode, done.stdout


def make_data(folder: Path, *options: str) -> Made:
    """Makes corpora, and prepares them."""
    made = Made(folder / "corpora.yaml", folder / "data", folder / "sentencepiece.model")
    for command in (
        [ROOT / "scripts" / "make_corpora", folder, "--rows", "40", *options],
        ["-m", "skill_plugin", "prepare", made.corpora, made.data, "--tokenizer", made.tokenizer],
    ):
        status, output = execute(sys.executable, *command)
        assert status == 0, output
    return made


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_data(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="session")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Made corpora of all nine kinds."""
    return make_data(tmp_path_factory.mktemp("kinds"), "--all-kinds")


def renamed(made: Made, folder: Path, old: str, new: str, keys: Sequence[str]) -> Made:
    """The corpora with one of them under another name, and with these keys: a new one, as SciTail comes after MNLI."""
    data = folder / "data"
    data.mkdir()
    for entry in made.data.iterdir():
        (data / (new if entry.name == old else entry.name)).symlink_to(entry)
    corpora = made.corpora.parent / f"{folder.name}.yaml"  # beside the raw files
    section = "".join(f"    {key}\n" for key in keys)
    corpora.write_text(made.corpora.read_text().replace(f"  {old}:\n", f"  {new}:\n{section}"))
    return Made(corpora, data, made.tokenizer)


@pytest.fixture(scope="session")
def arguments(made: Made) -> Callable[..., list[str]]:
    """The command line of a training run."""

    def build(
        folder: Path,
        *more: object,
        arch: str = "skillnet_x_ffn_mha_tiny",
        data: Path = made.data,
        device: str = "cpu",
    ) -> list[str]:
        options = {
            "--user-dir": PLUGIN, "--task": "multilingual_multitask", "--corpora": made.corpora, "--arch": arch,
            "--criterion": "multitask_cross_entropy", "--loss-scaling": "log-classes", "--sampling": "temperature",
            "--sampling-alpha": 0.4, "--optimizer": "skill_adam", "--lr": 1e-3, "--batch-size": 8,
            "--best-checkpoint-metric": "avg", "--save-dir": folder, "--num-workers": 0, "--log-format": "json",
            "--log-interval": 1, "--batch-size-valid": 16,
        }  # fmt: skip
        flat = [str(part) for option in options.items() for part in option]
        flags = [*["--cpu"] * (device == "cpu"), "--maximize-best-checkpoint-metric", "--no-epoch-checkpoints"]
        return [sys.executable, "-m", "fairseq_cli.train", str(data), *flat, *flags, *map(str, more)]

    return build


@pytest.fixture(scope="session")
def train(arguments: Callable[..., list[str]]) -> Callable[..., Run]:
    """Runs ``fairseq-train`` on the made corpora; options that come later win."""

    def run(folder: Path, *more: object, good: bool = True, fresh: bool = False, **where: Any) -> Run:
        status, output = execute(*arguments(folder, *more, **where), fresh=fresh)
        assert not good or status == 0, output[-4000:]
        return Run(status, output, folder)

    return run


@pytest.fixture
def train_here(arguments: Callable[..., list[str]]) -> Callable[..., None]:
    """Trains in this process, which is quicker, for runs that end before the first update."""
    from fairseq import options
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf
    from fairseq_cli.train import main

    import skill_plugin.register  # noqa: F401

    def run(folder: Path, *more: object, **where: Any) -> None:
        line = arguments(folder, *more, **where)[3:]
        main(convert_namespace_to_omegaconf(options.parse_args_and_arch(options.get_training_parser(), line)))

    return run


@pytest.fixture(scope="session")
def trained(train: Callable[..., Run], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of two epochs."""
    return train(tmp_path_factory.mktemp("trained"), "--max-epoch", 2)
