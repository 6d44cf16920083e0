"""``skill-plugin export``: a whole folder with a card, or a line and nothing."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from skill_plugin.checkpoints.checkpoint import Checkpoint, save_checkpoint
from skill_plugin.text.text_encoder import TextEncoder
from tests import warm_process
from tests.every_kind import World, examples, make_world

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def world(encoders: dict[str, TextEncoder], tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("export")
    rows = {name: examples(name, 30) for name in ("one", "tags", "wic", "nsp")}
    return make_world(folder / "bin", encoders["sentencepiece"], rows)


@pytest.fixture(scope="module")
def checkpoint(world: World) -> Path:
    model, file = world.model(), world.folder / "trained.pt"
    save_checkpoint(Checkpoint(model.bundle, model.model.state_dict()), file)
    return file


def test_a_folder_with_a_card(command: Command, world: World, checkpoint: Path, tmp_path: Path) -> None:
    out = tmp_path / "one"
    status, said, errors = command(
        "export", checkpoint, out, "--corpus", "one", "--format", "huggingface", "--data", world.folder, "--rows", 10
    )
    assert status == 0, errors
    assert "one: parity on 10 rows of valid: logits differ by" in said
    files = {"README.md", "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert {one.name for one in out.iterdir()} == files
    card = (out / "README.md").read_text(encoding="utf-8")
    for part in (
        "library_name: transformers",
        "`b`, `a`, `c`",
        "parity on 10 rows",
        "accuracy",
        "license: TODO",
        "- `generic`: on",
    ):
        assert part in card
    again = command("export", checkpoint, out, "--corpus", "one", "--format", "huggingface")
    assert (again[0], again[2].count("\n")) == (1, 1)
    assert "exists" in again[2]


def test_all_that_can_be(command: Command, checkpoint: Path, tmp_path: Path) -> None:
    status, said, errors = command(
        "export", checkpoint, tmp_path, "--all-corpora", "--format", "huggingface", "--rows", 3
    )
    assert status == 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["nsp", "one", "tags"]
    assert (tmp_path / "tags" / "decode.py").is_file()
    assert "wic: corpus 'wic': transformers has no class for the kind word_in_context" in errors
    assert "not exported: wic" in errors
    assert said.count("built-in texts") == 3


def test_every_corpus_as_a_graph(command: Command, world: World, checkpoint: Path, tmp_path: Path) -> None:
    status, said, errors = command(
        "export", checkpoint, tmp_path, "--all-corpora", "--format", "onnx", "--data", world.folder, "--rows", 5
    )
    assert (status, errors) == (0, "")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["nsp", "one", "tags", "wic"]
    assert said.count("of the answers are equal") == 4
    files = {"README.md", "config.json", "model.onnx", "tokenizer.json", "texts.py", "model.py", "decode.py"}
    assert {one.name for one in (tmp_path / "wic").iterdir()} == files
    card = (tmp_path / "one" / "README.md").read_text(encoding="utf-8")
    assert "library_name: onnxruntime" in card
    assert "from decode import answer" in card
    done = warm_process.run(
        [sys.executable, str(tmp_path / "one" / "decode.py"), "the cat"], stdout=subprocess.PIPE, text=True, check=True
    )
    shares = dict(line.split("\t") for line in done.stdout.splitlines())
    (expected,) = world.model().predict("one", ["the cat"])
    assert shares == {label: f"{share:.4f}" for label, share in expected.probabilities.items()}  # type: ignore[attr-defined]


def test_eight_bits_are_scored_beside_the_trained_model(command: Command, world: World, tmp_path: Path) -> None:
    """A model that is sure of itself, so that no rounding changes an answer."""
    trained = world.model()
    trained.model.state_dict()["heads.one.out_proj.bias"][1] += 20
    save_checkpoint(Checkpoint(trained.bundle, trained.model.state_dict()), tmp_path / "sure.pt")
    arguments = ("--corpus", "one", "--format", "onnx", "--quantize", "int8", "--data", world.folder)
    status, said, errors = command("export", tmp_path / "sure.pt", tmp_path / "one", *arguments)
    assert (status, errors) == (0, "")
    scores = re.search(r"one: (accuracy .* of the trained model on the split valid \(30 items\), .* as int8)", said)
    assert scores is not None
    assert scores[1] in (tmp_path / "one" / "README.md").read_text(encoding="utf-8")
    before, after = re.findall(r"0\.\d{4}", scores[1])
    assert before == after
    assert {one.suffix for one in (tmp_path / "one").iterdir()} == {".md", ".json", ".onnx", ".py"}


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--corpus", "onee", "--format", "huggingface"], 1, "did you mean 'one'"),
        (["--corpus", "one", "--format", "hugingface"], 2, "did you mean 'huggingface'"),
        (["--format", "huggingface"], 2, "--corpus NAME, or --all-corpora"),
        (["--corpus", "one", "--format", "fairseq", "--dtype", "bfloat16"], 1, "expected float32 or float16"),
        (["--corpus", "one", "--format", "onnx", "--dtype", "bfloat16"], 1, "expected float32 or float16"),
        (["--corpus", "one", "--format", "fairseq", "--quantize", "int8"], 2, "there are, of float32, onnx: int8"),
        (["--corpus", "one", "--format", "onnx", "--dtype", "float16", "--quantize", "int8"], 2, "--dtype float16"),
        (["--corpus", "tags", "--format", "fairseq"], 1, "no head like that"),
    ],
)
def test_a_line_and_nothing(
    command: Command, checkpoint: Path, tmp_path: Path, arguments: list[str], status: int, said: str
) -> None:
    found, _, errors = command("export", checkpoint, tmp_path / "new/folder/out", *arguments)
    assert found == status
    assert said in errors
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", ["huggingface", "onnx", "fairseq"])
def test_a_file_that_cannot_grow_is_told_with_the_exports_name(
    command: Command, checkpoint: Path, tmp_path: Path, form: str
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        status, _, errors = command("export", checkpoint, tmp_path / "out", "--corpus", "one", "--format", form)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (status, errors.count("\n")) == (1, 1)
    assert errors.startswith(f"{tmp_path / 'out'}: ")
    assert not list(tmp_path.iterdir())


def test_nothing_is_kept_that_gives_something_else(
    command: Command, checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if a weight had been written wrongly."""
    from skill_plugin.export.huggingface import write

    right = write.hub_weights

    def wrong(*arguments: object) -> dict[str, torch.Tensor]:
        return {name: tensor + 0.01 * ("classifier" in name) for name, tensor in right(*arguments).items()}  # type: ignore[arg-type]

    monkeypatch.setattr(write, "hub_weights", wrong)
    status, _, errors = command("export", checkpoint, tmp_path / "out", "--corpus", "one", "--format", "huggingface")
    assert status == 1
    assert "not written: parity on" in errors
    assert not list(tmp_path.iterdir())
