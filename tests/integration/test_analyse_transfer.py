"""``analyse transfer --by``: two halves of one corpus among unrelated ones are each other's best sources."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from skill_plugin.pretrained.encoder_file import EncoderFile, EncoderFileConfig, expected_sizes, save_encoder_file
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.integration.conftest import execute

pytestmark = pytest.mark.slow
Command = Callable[..., tuple[int, str, str]]
WORDS = {
    "animals": ("the", "cat", "sat", "mat", "dog", "looked"),
    "numbers": ("12345", "67890", "numbers", "texts", "such"),
    "spanish": ("el", "niño", "come", "manzana", "playa", "una"),
}
HALVES = {"left", "right"}


class Prepared(NamedTuple):
    """A random encoder, the corpora file and the data folder."""

    encoder: Path
    corpora: Path
    data: Path


LENGTHS = {"animals": 6, "numbers": 2, "spanish": 14}


def rows(words: tuple[str, ...], length: int, count: int, draw: random.Random) -> list[str]:
    """Texts, and whether the first of the words is among theirs."""
    texts = [draw.choices(words, k=length) for _ in range(count)]
    return [f"{' '.join(text)}\t{'yes' if words[0] in text else 'no'}\n" for text in texts]


@pytest.fixture(scope="module")
def prepared(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder, draw = tmp_path_factory.mktemp("transfer"), random.Random(1)
    made = {name: rows(words, LENGTHS[name], 80, draw) for name, words in WORDS.items()}
    halves = made.pop("animals")
    made = {"left": halves[:40], **made, "right": halves[40:]}
    lines = ["languages: [en]", "corpora:"]
    for name, content in made.items():
        (folder / f"{name}.tsv").write_text("".join(content), encoding="utf-8")
        lines.append(
            f"  {name}: {{kind: classification, language: en, format: tsv, header: false, "
            f"columns: {{text_a: 0, label: 1}}, train: {name}.tsv}}"
        )
    lines.append("  unseen: {as: left, language: en, test: left.tsv}")
    (folder / "corpora.yaml").write_text("\n".join(lines) + "\n")
    text = open_tokenizer(sentencepiece_model)
    torch.manual_seed(0)
    config = EncoderFileConfig(2, 64, 2, 128, len(text.vocabulary), 128, 0, 1e-5, "made")
    state = {name: 0.1 * torch.randn(size) for name, size in expected_sizes(config).items()}
    for name in state:
        if name.endswith("norm.weight"):
            state[name] += 1
    save_encoder_file(EncoderFile(config, text, state), folder / "encoder.pt")
    status, output = execute(
        sys.executable, "-m", "skill_plugin", "prepare", folder / "corpora.yaml", folder / "data",
        "--encoder", folder / "encoder.pt",
    )  # fmt: skip
    assert status == 0, output
    return Prepared(folder / "encoder.pt", folder / "corpora.yaml", folder / "data")


@pytest.fixture(scope="module")
def line(prepared: Prepared) -> list[object]:
    options = ("--corpora", prepared.corpora)
    return ["analyse", "transfer", prepared.encoder, prepared.data, *options]


def test_two_halves_of_one_corpus(prepared: Prepared, line: list[object], command: Command, tmp_path: Path) -> None:
    files = ("--json", tmp_path / "out.json", "--graph", tmp_path / "out.dot")
    training = ("--save-dir", tmp_path / "models", "--train-options", "--lr 3e-3 --batch-size 4")
    status, output = execute(
        sys.executable, "-m", "skill_plugin", *line, "--by", "both", *training, "--limit", 36, *files
    )
    assert status == 0, output
    commands = [text for text in output.splitlines() if text.startswith("python -m fairseq_cli.train ")]
    names = [text.split(" --only-corpora ")[1].split()[0] for text in commands]
    assert names == ["left", "numbers", "spanish", "right"]
    assert all(" --max-epoch 3 " in text and text.endswith(" --lr 3e-3 --batch-size 4") for text in commands)
    assert "unseen: left out, no train split" in output

    found = json.loads((tmp_path / "out.json").read_text())
    assert found["examples"] == dict.fromkeys(("left", "numbers", "spanish", "right"), 36)
    assert found["components_left_out"] == []
    outputs = {"layers.1.context", "layers.0.output", "first_token", "head"}
    assert {"text", "embeddings.tokens.weight", *outputs} <= set(found["components"])
    for half in HALVES:
        for measure in ("text", "task", "both"):
            assert found["targets"][half][measure][0]["corpus"] in HALVES - {half}, measure
    assert found["best"]["left"] == "right" and found["best"]["right"] == "left"
    assert '"right" -> "left";' in (tmp_path / "out.dot").read_text()
    assert "left may learn from" in output

    # the models that are there need no training, and one target is ranked as among all
    models = ",".join(f"{name}={path}" for name, path in found["models"].items())
    again = ("--by", "task", "--models", models, "--limit", 36, "--corpus", "right", "--json", tmp_path / "one.json")
    status, _, err = command(*line, *again)
    assert (status, "fairseq_cli" in err) == (0, False)
    one = json.loads((tmp_path / "one.json").read_text())
    assert list(one["targets"]) == ["right"]
    for mine, theirs in zip(one["targets"]["right"]["task"], found["targets"]["right"]["task"], strict=True):
        assert mine == pytest.approx(theirs)

    lost = ("--by", "task", "--models", f"left={found['models']['right']}", "--save-dir", tmp_path / "more")
    status, _, err = command(*line, *lost, "--train-options", "--lr nothing", "--only-corpora", "left,right")
    assert status == 1
    assert "nothing" in err.splitlines()[-1]
    assert err.splitlines()[-1].endswith(f"; see {tmp_path / 'more/right/train.log'}")


def test_texts_need_no_models(line: list[object], command: Command) -> None:
    status, out, err = command(*line, "--by", "text", "--limit", 0, "--corpus", "left")
    assert status == 0, err
    assert out.index("right") < out.index("numbers")


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ((), 2, "say what is to be compared: --embeddings, or --by text, task or both"),
        (("--by", "both"), 2, "--save-dir FOLDER to train them; there is none of left, numbers, spanish, right"),
        (("--by", "text", "--head", "x"), 2, "--head goes with --embeddings"),
        (("--embeddings", "--limit", "3", "--corpus", "x"), 2, "--limit goes with --by"),
        (("--embeddings",), 2, "--embeddings needs --corpus NEW"),
        (("--by", "text", "--corpus", "lefd"), 1, "no corpus 'lefd' to rank others for; did you mean 'left'?"),
        (("--by", "text", "--only-corpora", "left"), 1, "expected two corpora with a train split or more, found 1"),
        (("--by", "text", "--max-length", "129"), 1, "--max-length 129: it has positions for 128 tokens"),
        (("--by", "task", "--models", "lefd=x"), 1, "--models: 'lefd' is no corpus that is compared"),
        (("--by", "task", "--models", "left"), 2, "--models left: expected CORPUS=CHECKPOINT"),
        (("--by", "task", "--models", "left=none.pt"), 1, "none.pt: --models: no such file"),
        (("--by", "text", "--graph", "x.txt"), 2, "ends with none of .dot, .png, .svg, .pdf"),
        (("--by", "both", "--save-dir", "x", "--train-options", "'"), 2, "--train-options ': No closing quotation"),
    ],
)
def test_what_is_refused(
    options: tuple[str, ...], status: int, message: str, line: list[object], command: Command
) -> None:
    found, _, err = command(*line, *options)
    assert found == status
    assert message in " ".join(err.split())
