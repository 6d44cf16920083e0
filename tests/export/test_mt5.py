"""A folder of mT5 that transformers loads scores answers and writes as the trained model does, from raw texts on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin.api import Model
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.errors import InputError
from skill_plugin.export import parity
from skill_plugin.export.huggingface.mt5.run import Mt5Folder
from skill_plugin.export.write_export import Wish, write_export
from skill_plugin.nn.packed_batch import pack
from skill_plugin.nn.t5.text_to_text_model import TextToTextModel
from skill_plugin.pretrained.huggingface import read_huggingface_folder
from skill_plugin.readers.example import Example
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.variants.catalogue import MT5
from skill_plugin.variants.lora_options import LoraOptions
from skill_plugin.variants.t5_shape import T5Shape
from tests.every_kind import examples, make_world

pytest.importorskip("transformers")

WRITTEN = 7


def trained(folder: Path, encoder: TextEncoder, name: str, tied: bool = False, **more: Any) -> tuple[Model, Checkpoint]:
    rows = examples(name, 12, words=30)
    text = encoder.read_by(text_to_text=True)
    shape = T5Shape(2, 1, 32, 3, 8, 48, vocabulary=len(text.vocabulary), tied=tied)
    world = make_world(
        folder, text, {name: rows}, max_length=60, variant=MT5, shape=shape, skill_layers=None,
        prefixed=True, **more,
    )  # fmt: skip
    torch.manual_seed(0)
    found = build_model(world.bundle).eval()
    for name, parameter in found.named_parameters():
        if name.endswith("lora_b"):
            torch.nn.init.normal_(parameter, std=0.3)
    return Model(world.bundle, found, torch.device("cpu")), Checkpoint(world.bundle, found.state_dict())


def written(model: Model, name: str, example: Example) -> list[list[int]]:
    """What the trained model writes for each sequence, in the ids of the export."""
    items, found = model.items(name), model.model
    assert isinstance(found, TextToTextModel)
    (row,) = items.encode([example])
    batch = pack([(model.bundle.active_set(name), "", items.sequences(row))], token_types=False)
    return [(ids - 1).tolist() for ids in found.generate(batch, WRITTEN)]


@pytest.mark.parametrize(
    ("name", "tied"), [("one", False), ("pair", True), ("choice", False), ("grade", True), ("nsp", False)]
)
def test_it_scores_and_writes_the_same(encoders: dict[str, TextEncoder], name: str, tied: bool, tmp_path: Path) -> None:
    model, checkpoint = trained(tmp_path / "bin", encoders["sentencepiece"], name, tied)
    measured = write_export(checkpoint, name, tmp_path / "out", Wish("huggingface", "float32"))
    assert measured.parity.good and measured.parity.examples > 3, measured.parity.to_line()
    folder = Mt5Folder(tmp_path / "out")
    rows = [row._replace(texts=(row.texts * 2)[:2]) if name == "nsp" else row for row in examples(name, 12, words=8)]
    rows = [row for row in rows if folder.reads(row)][:3]
    assert len(rows) == 3
    for row in rows:
        ours = written(model, name, row)
        assert ours == [folder.write(source, WRITTEN) for source in folder.sources(row)]
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert config["architectures"] == ["MT5ForConditionalGeneration"]
    assert config["text_to_text"]["before"][0].startswith(f"{name}: ")
    card = (tmp_path / "out" / "README.md").read_text()
    assert "MT5ForConditionalGeneration.from_pretrained" in card and f'text = "{name}: ' in card


def test_what_is_exported_can_be_imported(encoders: dict[str, TextEncoder], tmp_path: Path) -> None:
    _, checkpoint = trained(tmp_path / "bin", encoders["sentencepiece"], "one", tied=True)
    write_export(checkpoint, "one", tmp_path / "out", Wish("huggingface", "float32"))
    encoder = read_huggingface_folder(tmp_path / "out")
    assert encoder.config == checkpoint.bundle.shape
    for name, tensor in encoder.state.items():
        rows = slice(1, None) if "tokens" in name else slice(None)  # the row of <s> is not kept
        assert torch.equal(tensor[rows], checkpoint.state[name][rows]), name


def test_adapters_are_merged(encoders: dict[str, TextEncoder], tmp_path: Path) -> None:
    lora = LoraOptions(rank=2, alpha=4.0, targets=("query", "value"))
    _, checkpoint = trained(tmp_path / "bin", encoders["sentencepiece"], "one", lora=lora)
    assert any(name.endswith("lora_b") and tensor.any() for name, tensor in checkpoint.state.items())
    measured = write_export(checkpoint, "one", tmp_path / "out", Wish("huggingface", "bfloat16"))
    assert measured.parity.good and measured.dtype == "bfloat16"


def test_half_precision_is_measured_by_the_scores_that_it_rounds(
    encoders: dict[str, TextEncoder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of pieces are many times the log-likelihoods, as here by what is added to the scores of all pieces."""
    _, checkpoint = trained(tmp_path / "bin", encoders["sentencepiece"], "choice")
    checkpoint.state["decoder.output.weight"].add_(8)
    monkeypatch.setattr(parity, "UNEQUAL", 1.0)  # answers of random weights are nearly ties
    measured = write_export(checkpoint, "choice", tmp_path / "out", Wish("huggingface", "bfloat16"))
    assert measured.parity.good, measured.parity.to_line()


@pytest.mark.parametrize(
    ("name", "wish", "message"),
    [
        ("one", Wish("onnx", "float32"), "--format onnx holds no model that answers with texts; use --format hugg"),
        ("one", Wish("fairseq", "float32"), "--format fairseq holds no model that answers with texts"),
        ("one", Wish("huggingface", "float16"), "--dtype float16: mT5's activations overflow in it; use bfloat16"),
        ("wic", Wish("huggingface", "float32"), "word_in_context is not asked in names and texts alone"),
    ],
)
def test_what_cannot_be_is_refused(
    encoders: dict[str, TextEncoder], name: str, wish: Wish, message: str, tmp_path: Path
) -> None:
    _, checkpoint = trained(tmp_path / "bin", encoders["sentencepiece"], name)
    with pytest.raises(InputError, match=message):
        write_export(checkpoint, name, tmp_path / "out", wish)
    assert not (tmp_path / "out").exists()
