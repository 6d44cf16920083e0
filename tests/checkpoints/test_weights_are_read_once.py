"""describe and --init-from open a file of weights as often as loading it once does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.checkpoint import Checkpoint, save_checkpoint
from skill_plugin.checkpoints.initial_weights import read_initial_weights
from skill_plugin.pretrained.encoder_file import (
    EncoderFile,
    EncoderFileConfig,
    expected_sizes,
    save_encoder_file,
)
from skill_plugin.weights.torch_file import load_torch_file
from tests.checkpoints.test_bundle import BUNDLE
from tests.opened_files import opened_files

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    save_checkpoint(Checkpoint(BUNDLE, build_model(BUNDLE).state_dict()), tmp_path / "model.pt")
    return tmp_path / "model.pt"


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    """An imported encoder of the same shape."""
    s = BUNDLE.shape
    config = EncoderFileConfig(
        s.layers, s.width, s.heads, s.inner, s.vocabulary, s.positions, s.token_types, s.layer_norm_eps, "bert"
    )
    state = {name: torch.zeros(size) for name, size in expected_sizes(config).items()}
    save_encoder_file(EncoderFile(config, None, state), tmp_path / "encoder.pt")
    return tmp_path / "encoder.pt"


def openings_of_one_load(file: Path) -> int:
    copy = file.with_name("copy.pt")  # checksums of a file are compared once by a process
    copy.write_bytes(file.read_bytes())
    with opened_files() as opened:
        load_torch_file(copy)
    assert opened[copy] > 0
    return opened[copy]


def test_describe(command: Command, checkpoint: Path) -> None:
    with opened_files() as opened:
        status, _, err = command("describe", checkpoint, "--json")
    assert (status, err) == (0, "")
    assert opened[checkpoint] == openings_of_one_load(checkpoint)


@pytest.mark.parametrize("which", ["checkpoint", "encoder"])
def test_init_from(request: pytest.FixtureRequest, which: str) -> None:
    file: Path = request.getfixturevalue(which)
    with opened_files() as opened:
        read_initial_weights(str(file))
    assert opened[file] == openings_of_one_load(file)
