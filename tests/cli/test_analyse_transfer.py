"""``skill-plugin analyse transfer --embeddings``: a new corpus scored with every embedding of a checkpoint."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin.nn.packed_batch import pack
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.variants.conditional_options import ConditionalOptions
from tests.every_kind import World, examples, make_world

Command = Callable[..., tuple[int, str, str]]
KNOWN = ("one", "pair", "wic")  # wsc is the new corpus, with the labels of wic


@pytest.fixture(scope="module")
def world(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    rows = {name: examples(name, 60) for name in (*KNOWN, "wsc", "topics")}
    folder = tmp_path_factory.mktemp("data") / "bin"
    return make_world(folder, open_tokenizer(sentencepiece_model), rows, variant="ca_mtl", skill_layers=None)


def checkpoint_of(world: World, folder: Path, variant: str = "ca_mtl", **more: Any) -> Path:
    """A checkpoint that knows some of the folder's corpora, with conditional modules that matter."""
    bundle = replace(
        world.bundle,
        variant=variant,
        labels={name: world.bundle.labels[name] for name in KNOWN},
        facts={name: world.bundle.facts[name] for name in KNOWN},
        **more,
    )
    model = World(world.folder, bundle).model(seed=3).model
    state = {f"model.{name}": value for name, value in model.state_dict().items()}
    path = folder / f"{variant}.pt"
    torch.save({"model": state, "task_state": {"bundle": bundle.to_state()}}, path)
    return path


@pytest.fixture(scope="module")
def checkpoint(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkpoint_of(world, tmp_path_factory.mktemp("models"))


@pytest.fixture
def corpora(world: World, tmp_path: Path) -> Callable[[str], Path]:
    """The corpora file, with more said of the new corpus."""

    def write(more: str = "") -> Path:
        path = tmp_path / "corpora.yaml"
        path.write_text(world.bundle.corpora_text.replace("  wsc: {", f"  wsc: {{{more}"))
        return path

    return write


def accuracy(world: World, checkpoint: Path, z: torch.Tensor) -> float:
    """Of the new corpus with some embedding and the head of wic, one example at a time."""
    from skill_plugin import load

    model = load(str(checkpoint)).model
    model.encoder.task_embeddings.rows["pair"].weight.data.copy_(z)
    active = replace(world.bundle.active_set("wsc"), embedding="pair")
    split, right = world.examples("wsc"), 0
    for index in range(len(split)):
        example = split.example(index)
        (logits,) = model(pack([(active, "wic", example.sequences)], world.bundle.reads_token_types)).answers
        right += int(logits.argmax()) == int(example.target["classes"][0])
    return right / len(split)


def test_every_choice_is_scored_and_ranked(
    command: Command, world: World, checkpoint: Path, corpora: Callable[..., Path], tmp_path: Path
) -> None:
    json_file = tmp_path / "out" / "t.json"
    line = ("analyse", "transfer", "--embeddings", checkpoint, world.folder, "--corpus", "wsc", "--corpora")
    status, out, err = command(*line, corpora("head_from: wic, "), "--json", json_file)
    assert (status, err) == (0, "")
    found = json.loads(json_file.read_text())
    assert {key: found[key] for key in ("corpus", "head", "split", "metric", "n")} == {
        "corpus": "wsc", "head": "wic", "split": "valid", "metric": "accuracy", "n": 60,
    }  # fmt: skip
    values = {start["title"]: start["value"] for start in found["ranking"]}
    assert list(values.values()) == sorted(values.values(), reverse=True)
    state = torch.load(checkpoint, weights_only=True)["model"]
    rows = {name: state[f"model.encoder.task_embeddings.rows.{name}.weight"] for name in KNOWN}
    assert set(values) == {*KNOWN, "average of all", "random draw", "Xavier draw"}
    for name, z in {**rows, "average of all": sum(rows.values()) / 3}.items():
        assert values[name] == pytest.approx(accuracy(world, checkpoint, z)), name
    assert len(set(values.values())) > 1
    starts = {start["title"]: start["embedding_from"] for start in found["ranking"]}
    assert starts == {
        **{name: [name] for name in KNOWN},
        "average of all": list(KNOWN), "random draw": "random", "Xavier draw": "xavier",
    }  # fmt: skip
    cells = [line.split() for line in out.replace("│", " ").splitlines()]
    for start in found["ranking"]:  # equal ones share a place
        place = 1 + sum(other["value"] > start["value"] for other in found["ranking"])
        assert [str(place), *start["title"].split(), f"{start['value']:.4f}"] in cells
    other = command(*line, corpora(), "--head", "wic", "--json", json_file)
    assert other[0] == 0 and json.loads(json_file.read_text()) == found


@pytest.mark.parametrize(
    ("more", "options", "status", "message"),
    [
        ("", (), 1, "corpus 'wsc' has no trained head, and an untrained one would rank noise"),
        ("head_from: [wic, pair], ", (), 1, "head_from is a mean of several; name one with --head"),
        (
            "",
            ("--head", "one"),
            1,
            "--head one: the checkpoint has 'one' as classification, which another head answers",
        ),
        ("", ("--head", "wicc"), 1, "--head wicc: the checkpoint has no corpus 'wicc'; did you mean 'wic'?"),
        ("", ("--corpus", "pair"), 1, "the checkpoint has learned 'pair'; expected a corpus that is new to it"),
        ("", ("--corpus", "tpics"), 1, "'tpics'"),
        ("head_from: wic, ", ("--split", "test"), 1, "corpus 'wsc' has no test split"),
    ],
)
def test_faults_are_one_line(
    command: Command, world: World, checkpoint: Path, corpora: Callable[..., Path],
    more: str, options: tuple[Any, ...], status: int, message: str,
) -> None:  # fmt: skip
    line = ("analyse", "transfer", "--embeddings", checkpoint, world.folder, "--corpus", "wsc")
    found, out, err = command(*line, "--corpora", corpora(more), *options)
    assert (found, out) == (status, "")
    assert message in err and err.count("\n") == 1


def test_other_models_and_wrong_usage(
    command: Command, world: World, corpora: Callable[..., Path], tmp_path: Path
) -> None:
    dense = checkpoint_of(world, tmp_path, "dense")
    line = ("analyse", "transfer", dense, world.folder, "--corpus", "wsc", "--corpora", corpora())
    status, _, err = command(*line, "--embeddings")
    assert status == 1 and "this dense model has no task embeddings; expected a checkpoint of ca_mtl" in err
    status, _, err = command(*line)
    assert status == 2 and "--embeddings" in err
    separate = checkpoint_of(world, tmp_path, conditional=ConditionalOptions(separate_alignment=True))
    line = ("analyse", "transfer", separate, world.folder, "--corpus", "wsc", "--corpora", corpora(), "--embeddings")
    status, _, err = command(*line)
    assert status == 1 and "each corpus of this model has an alignment of its own" in err


@pytest.mark.parametrize("seed", ["-1", "9" * 30])
def test_a_seed_that_is_none_is_wrong_usage(command: Command, seed: str) -> None:
    status, _, err = command("analyse", "transfer", "x.pt", "data", "--corpus", "a", "--corpora", "f", "--seed", seed)
    assert status == 2 and "Invalid value for '--seed'" in err
