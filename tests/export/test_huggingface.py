"""Folders that transformers loads give what the trained model gives, from raw texts on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.checkpoints.slice import take_slice
from skill_plugin.errors import InputError
from skill_plugin.export.decoding import SCRIPTS
from skill_plugin.export.examples import choose_examples
from skill_plugin.export.huggingface.classes import CLASSES
from skill_plugin.export.huggingface.write import write_hub_folder
from skill_plugin.export.parity import compare
from skill_plugin.export.task_of import task_of
from skill_plugin.kinds import registry
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import choose_template, find_tokenizer
from tests import warm_process
from tests.every_kind import CORPORA, examples, make_world

UNKNOWN = ("wic", "wsc")  # no class of transformers reads several tokens side by side


@pytest.mark.parametrize("name", [name for name in CORPORA if name not in UNKNOWN])
def test_every_kind_from_raw_texts(encoder: TextEncoder, name: str, tmp_path: Path) -> None:
    rows = examples(name, 12, words=30)
    model = make_world(tmp_path / "bin", encoder, {name: rows}, max_length=130 if name == "search" else 24).model()
    sliced = take_slice(Checkpoint(model.bundle, model.model.state_dict()), name)
    folder = tmp_path / "out"
    folder.mkdir()
    exported = write_hub_folder(sliced, name, folder, "float32").exported
    if name == "mlm":
        rows = [row._replace(texts=(f"{row.texts[0][:20]} <mask> und",)) for row in rows]
    if name == "nsp":
        rows = [row._replace(texts=(row.texts * 2)[:2]) for row in rows]
    found = compare(model, name, exported, rows, "rows", "float32")
    assert found.good, found.to_line()
    assert (found.longer > 0) == (name == "search")  # of a query with a question transformers cuts the question
    assert found.examples > 3
    config = json.loads((folder / "config.json").read_text())
    assert config["architectures"][0].endswith(CLASSES[task_of(model.items(name).reading).head])


@pytest.mark.parametrize(
    ("origin", "name"),
    [("english", "pair"), ("english", "tags"), ("english", "span"), ("multilingual", "span")]
    + [pytest.param("multilingual", name, marks=pytest.mark.long) for name in ("pair", "tags")],
)
def test_tokenizers_of_real_encoders(checkpoints: Path, origin: str, name: str, tmp_path: Path) -> None:
    source = find_tokenizer(checkpoints / origin)
    assert source is not None
    vocabulary, _ = source.arrange()
    encoder = TextEncoder(source.build(vocabulary), vocabulary, choose_template(source))
    model = make_world(tmp_path / "bin", encoder, {name: examples(name, 4)}, max_length=40).model()
    folder = tmp_path / "out"
    folder.mkdir()
    sliced = take_slice(Checkpoint(model.bundle, model.model.state_dict()), name)
    exported = write_hub_folder(sliced, name, folder, "float32").exported
    rows, _ = choose_examples(model, name, None, 12)
    if name == "span":  # parts of letters: accents, which WordPiece drops, and jamo, which SentencePiece joins
        rows += [rows[0]._replace(texts=("which?", text)) for text in ("e\u0301 \u05de\u05b4", "\u1112\u1161\u11ab")]
    found = compare(model, name, exported, rows, None, "float32")
    assert found.good, found.to_line()
    assert found.examples >= 8


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision(encoder: TextEncoder, dtype: str, tmp_path: Path) -> None:
    rows = examples("one", 40)
    model = make_world(tmp_path / "bin", encoder, {"one": rows}).model()
    folder = tmp_path / "out"
    folder.mkdir()
    sliced = take_slice(Checkpoint(model.bundle, model.model.state_dict()), "one")
    exported = write_hub_folder(sliced, "one", folder, dtype).exported
    assert exported.logits(rows[0]).dtype == torch.float32
    assert 1e-5 < compare(model, "one", exported, rows, "rows", dtype).difference < 0.1


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_kind_without_a_class_is_refused(encoder: TextEncoder, name: str, tmp_path: Path) -> None:
    model = make_world(tmp_path / "bin", encoder, {name: examples(name, 4)}).model()
    sliced = take_slice(Checkpoint(model.bundle, model.model.state_dict()), name)
    with pytest.raises(InputError, match="no class for the kind word_in_context; use --format onnx"):
        write_hub_folder(sliced, name, tmp_path, "float32")


def test_linear_heads_of_first_tokens_are_refused(encoder: TextEncoder, tmp_path: Path) -> None:
    model = make_world(tmp_path / "bin", encoder, {"one": examples("one", 4)}, linear_heads=True).model()
    sliced = take_slice(Checkpoint(model.bundle, model.model.state_dict()), "one")
    with pytest.raises(InputError, match="--head linear"):
        write_hub_folder(sliced, "one", tmp_path, "float32")


def test_scripts_are_short() -> None:
    """What goes along with an export is to be read in a minute."""
    scripts = [*Path(registry.__file__).parent.glob("*/decode.py"), *SCRIPTS.glob("*.py")]
    assert len(scripts) >= 9
    for script in scripts:
        assert len(script.read_text(encoding="utf-8").splitlines()) <= 40, script


def test_decode_scripts_run_from_a_terminal(encoder: TextEncoder, tmp_path: Path) -> None:
    model = make_world(tmp_path / "bin", encoder, {"tags": examples("tags", 4)}).model()
    folder = tmp_path / "out"
    folder.mkdir()
    write_hub_folder(take_slice(Checkpoint(model.bundle, model.model.state_dict()), "tags"), "tags", folder, "float32")
    text = "the cat, der Hund!"
    done = warm_process.run(
        [sys.executable, str(folder / "decode.py"), text], stdout=subprocess.PIPE, text=True, check=True
    )
    (found,) = model.predict("tags", [text])
    expected = zip(found.words, found.tags, strict=True)  # type: ignore[attr-defined]
    assert done.stdout.strip().split("\t") == ["/".join(pair) for pair in expected]
