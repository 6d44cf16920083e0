from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from skill_plugin.compat.safe_loading import install
from skill_plugin.errors import InputError
from skill_plugin.pretrained.encoder_file import EncoderFile, EncoderFileConfig, expected_sizes, save_encoder_file
from skill_plugin.pretrained.load_encoder import load_encoder_file
from skill_plugin.weights.torch_file import load_torch_file

CONFIG = EncoderFileConfig(
    layers=1,
    width=4,
    heads=2,
    feed_forward_width=6,
    vocabulary=9,
    positions=5,
    token_types=2,
    layer_norm_eps=1e-12,
    source="bert",
)


def encoder() -> EncoderFile:
    return EncoderFile(CONFIG, None, {name: torch.randn(size) for name, size in expected_sizes(CONFIG).items()})


def test_round_trip(tmp_path: Path) -> None:
    made = encoder()
    save_encoder_file(made, tmp_path / "e.pt")
    again = load_encoder_file(tmp_path / "e.pt")
    assert again.config == CONFIG
    assert again.text is None
    assert all(torch.equal(again.state[name], tensor) for name, tensor in made.state.items())
    assert os.listdir(tmp_path) == ["e.pt"]


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "e.pt").write_bytes(b"what was there")

    def fail(content: object, path: Path) -> None:
        Path(path).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", fail)
    with pytest.raises(InputError, match=r"e.pt: cannot be written: no space left on device"):
        save_encoder_file(encoder(), tmp_path / "e.pt")
    assert os.listdir(tmp_path) == ["e.pt"]
    assert (tmp_path / "e.pt").read_bytes() == b"what was there"


def broken(change: Callable[[EncoderFile], EncoderFile], path: Path) -> str:
    save_encoder_file(change(encoder()), path)
    with pytest.raises(InputError) as error:
        load_encoder_file(path)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_missing_and_misfitting_weights(tmp_path: Path) -> None:
    def without(made: EncoderFile) -> EncoderFile:
        return replace(made, state={n: t for n, t in made.state.items() if "fc1" not in n})

    message = broken(without, tmp_path / "e.pt")
    assert "lacks the weights layers.0.feed_forward.fc1.weight, layers.0.feed_forward.fc1.bias" in message

    def longer(made: EncoderFile) -> EncoderFile:
        return replace(made, config=replace(made.config, vocabulary=10))

    assert "embeddings.tokens.weight has the size [9, 4], expected [10, 4]" in broken(longer, tmp_path / "e.pt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a file of torch.save"),
        (b"nonsense " * 100, "not a file of torch.save"),
        (b"Pnonsense " * 100, "not"),
        ({"format": "skill_plugin.encoder", "version": 9}, "an encoder file of version 9, expected 1"),
        ({"format": "skill_plugin.encoder", "version": 1}, "a damaged encoder file"),
        ({"weights": 1}, "neither an imported encoder nor a RoBERTa or XLM-R model of fairseq"),
        ({"path": Path("x")}, "not loaded, since it holds more than weights"),
    ],
)
def test_other_files(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "e.pt"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        torch.save(content, path)
    with pytest.raises(InputError) as error:
        load_encoder_file(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_no_file_and_other_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_encoder_file(tmp_path / "e.pt")
    with pytest.raises(InputError, match=r"has no model.pt of fairseq; 'skill-plugin import' reads Hugging Face"):
        load_encoder_file(tmp_path)


def test_loading_takes_nothing_back_that_fairseq_needs(tmp_path: Path) -> None:
    """A run that starts from fairseq's model.pt must still read its own checkpoints afterwards."""
    torch.save({"args": argparse.Namespace(arch="x"), "model": {}}, tmp_path / "model.pt")
    torch.save({"metric": np.float64(1.5)}, tmp_path / "own.pt")
    install()
    assert load_torch_file(tmp_path / "model.pt")["args"].arch == "x"
    assert torch.load(tmp_path / "own.pt", weights_only=True) == {"metric": 1.5}
