"""Folders that fairseq's own RoBERTa loads give what the trained model gives, from raw texts on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.checkpoints.slice import take_slice
from skill_plugin.errors import InputError
from skill_plugin.export.fairseq.write import write_fairseq_folder
from skill_plugin.export.parity import compare
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import examples, make_world


def made(encoder: TextEncoder, name: str, folder: Path, **shape: float) -> tuple[object, Checkpoint]:
    world = make_world(folder / "bin", encoder, {name: examples(name, 12)}, max_length=200)
    world = replace(world, bundle=replace(world.bundle, shape=replace(world.bundle.shape, **shape)))
    model = world.model()
    (folder / "out").mkdir()
    return model, take_slice(Checkpoint(model.bundle, model.model.state_dict()), name)


@pytest.mark.parametrize(("name", "types"), [("one", 0), ("pair", 1), ("score", 0), ("choice", 1), ("topics", 0)])
def test_sentence_heads(sentencepiece_model: Path, name: str, types: int, tmp_path: Path) -> None:
    model, sliced = made(open_tokenizer(sentencepiece_model), name, tmp_path, token_types=types)
    written = write_fairseq_folder(sliced, name, tmp_path / "out", "float32")
    rows = [row._replace(texts=(f"<s> {row.texts[0]}", *row.texts[1:])) for row in examples(name, 12, seed=1, words=24)]
    found = compare(model, name, written.exported, rows, "rows", "float32")  # type: ignore[arg-type]
    assert found.good, found.to_line()
    assert found.examples > 6
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == [
        "dict.txt",
        "model.pt",
        "sentencepiece.bpe.model",
    ]


@pytest.mark.parametrize(
    ("name", "tokenizer", "eps", "said"),
    [
        ("tags", "sentencepiece", 1e-5, "no head like that of the kind labelling"),
        ("one", "word_piece", 1e-5, "no token types"),
        ("one", "sentencepiece", 1e-12, "an epsilon of 1e-05, and this encoder with 1e-12"),
    ],
)
def test_what_it_cannot_be_is_refused(
    encoders: dict[str, TextEncoder], name: str, tokenizer: str, eps: float, said: str, tmp_path: Path
) -> None:
    _, sliced = made(encoders[tokenizer], name, tmp_path, layer_norm_eps=eps)
    with pytest.raises(InputError, match=said):
        write_fairseq_folder(sliced, name, tmp_path / "out", "float32")
    assert not list((tmp_path / "out").iterdir())
