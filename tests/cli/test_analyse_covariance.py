"""``skill-plugin analyse covariance``: what enters the first layer, before and after training."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from skill_plugin.analysis.covariance.measure import CovarianceSimilarity
from skill_plugin.nn.packed_batch import pack
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import World, examples, make_world

Command = Callable[..., tuple[int, str, str]]
NAMES = ("one", "pair", "tags", "mlm")


@pytest.fixture(scope="module")
def world(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    rows = {name: examples(name, 12) for name in NAMES}
    folder = tmp_path_factory.mktemp("data") / "bin"
    return make_world(folder, open_tokenizer(sentencepiece_model), rows, variant="ca_mtl", skill_layers=None)


@pytest.fixture(scope="module")
def files(world: World, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A trained CA-MTL checkpoint, one of the dense model that knows fewer corpora, and its encoder by itself."""
    folder, found = tmp_path_factory.mktemp("models"), {}
    few = {"labels": {n: world.bundle.labels[n] for n in NAMES[:3]}, "facts": {n: {} for n in NAMES[:3]}}
    for name, changes in (("ca_mtl", {}), ("dense", {"variant": "dense", **few})):
        bundle = replace(world.bundle, **changes)
        model = World(world.folder, bundle).model(seed=len(name)).model
        state = {f"model.{key}": value for key, value in model.state_dict().items()}
        found[name] = folder / f"{name}.pt"
        torch.save({"model": state, "task_state": {"bundle": bundle.to_state()}}, found[name])
    return found


def gram(world: World, state: dict[str, torch.Tensor], name: str, aligned: bool) -> NDArray[np.float64]:
    """X^T X of all the tokens of a corpus: embeddings summed and normalised, then aligned."""
    rows = []
    for index in range(len(world.examples(name))):
        example = world.examples(name).example(index)
        for sequence in example.sequences:
            batch = pack([(world.bundle.active_set(name), name, [sequence])], True)
            part = {key.removeprefix("model.encoder."): value for key, value in state.items()}
            x = part["embeddings.tokens.weight"][batch.tokens] + part["embeddings.positions.weight"][batch.positions]
            if "embeddings.token_types.weight" in part:
                x = x + part["embeddings.token_types.weight"][batch.token_types]
            x = torch.nn.functional.layer_norm(
                x, (16,), part["embeddings.norm.weight"], part["embeddings.norm.bias"], 1e-5
            )
            if aligned:
                z = part[f"task_embeddings.rows.{name}.weight"]
                both = part["alignment.modulation.up"] @ (part["alignment.modulation.down"] @ z)
                scale, shift = (both + part["alignment.modulation.bias"]).chunk(2)
                x = (x @ part["alignment.weight"].T) * (1 + scale) + shift
            rows.append(x.double())
    x = torch.cat(rows)
    return np.asarray((x.T @ x).numpy(), np.float64)


def test_after_training_alone_and_beside_before(
    command: Command, world: World, files: dict[str, Path], tmp_path: Path
) -> None:
    out_file, plot = tmp_path / "out" / "c.json", tmp_path / "out" / "c.png"
    status, out, err = command("analyse", "covariance", files["ca_mtl"], world.folder, "--json", out_file)
    assert (status, err) == (0, "")
    found = json.loads(out_file.read_text())
    assert (found["split"], list(found["tokens"]), list(found["models"])) == ("valid", list(NAMES), ["after"])
    state = torch.load(files["ca_mtl"], weights_only=True)["model"]
    expected = CovarianceSimilarity.of("", [gram(world, state, name, True) for name in NAMES])
    after = found["models"]["after"]
    np.testing.assert_allclose(after["similarity"], expected.scores, atol=1e-4)
    assert list(after["ranks"].values()) == list(expected.ranks)
    assert "change" not in out

    line = ("analyse", "covariance", files["ca_mtl"], world.folder, "--before", files["dense"])
    status, out, err = command(*line, "--json", out_file, "--plot", plot)
    assert status == 0
    assert err == f"mlm: left out, not a corpus of {files['dense']}\n"
    found = json.loads(out_file.read_text())
    assert list(found["tokens"]) == list(NAMES[:3])
    np.testing.assert_allclose(found["models"]["after"]["similarity"], expected.scores[:3, :3], atol=1e-4)
    state = torch.load(files["dense"], weights_only=True)["model"]
    plain = CovarianceSimilarity.of("", [gram(world, state, name, False) for name in NAMES[:3]])
    np.testing.assert_allclose(found["models"]["before"]["similarity"], plain.scores, atol=1e-4)
    assert "change" in out and plot.read_bytes().startswith(b"\x89PNG")


def test_selection_and_limit(command: Command, world: World, files: dict[str, Path], tmp_path: Path) -> None:
    options = ("--only-corpora", "one,pair", "--limit", 3, "--batch-size", 2, "--json", tmp_path / "c.json")
    status, _, err = command("analyse", "covariance", files["ca_mtl"], world.folder, *options)
    assert (status, err) == (0, "")
    tokens = json.loads((tmp_path / "c.json").read_text())["tokens"]
    assert list(tokens) == ["one", "pair"]
    lengths = world.examples("one").lengths
    assert tokens["one"] == int(lengths[0] + lengths[4] + lengths[8])


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--only-corpora", "one"), 1, "expected two corpora or more to compare, found 1"),
        (
            ("--split", "test"),
            1,
            "expected two corpora or more to compare, found 0; one, pair, tags, mlm: no test split",
        ),
        (("--before", "nowhere.pt"), 1, "nowhere.pt: "),
        (("--plot", "c.gif"), 2, "ends with none of .png, .svg, .pdf"),
    ],
)
def test_faults(
    command: Command, world: World, files: dict[str, Path], options: tuple[Any, ...], status: int, message: str
) -> None:
    found, out, err = command("analyse", "covariance", files["ca_mtl"], world.folder, *options)
    assert (found, out) == (status, "")
    assert message in " ".join(err.split())
    assert status == 2 or err.count("\n") == 1


def test_another_vocabulary_is_refused(command: Command, world: World, files: dict[str, Path], tmp_path: Path) -> None:
    content = torch.load(files["dense"], weights_only=True)
    shape = content["task_state"]["bundle"]["shape"]
    shape["vocabulary"] += 1
    torch.save(content, tmp_path / "other.pt")
    status, _, err = command("analyse", "covariance", files["ca_mtl"], world.folder, "--before", tmp_path / "other.pt")
    assert status == 1 and "its vocabulary is not that of the trained model" in err


def test_each_corpus_by_its_own_model(command: Command, world: World, files: dict[str, Path], tmp_path: Path) -> None:
    names, out_file = NAMES[:3], tmp_path / "c.json"
    own = dict(zip(names, (files["ca_mtl"], files["dense"], files["ca_mtl"]), strict=True))
    line = ["analyse", "covariance", files["ca_mtl"], world.folder, "--json", out_file]
    first, *others = (f"{name}={file}" for name, file in own.items())
    line += ["--single", first, "--single", ",".join(others)]
    status, _, err = command(*line)
    assert (status, err) == (0, "mlm: left out, no model of it alone was named\n")
    found = json.loads(out_file.read_text())["models"]
    assert list(found) == ["single", "after"]
    states = {name: torch.load(file, weights_only=True)["model"] for name, file in own.items()}
    grams = [gram(world, states[name], name, own[name] == files["ca_mtl"]) for name in names]
    expected = CovarianceSimilarity.of("", grams)
    np.testing.assert_allclose(found["single"]["similarity"], expected.scores, atol=1e-4)
    line[-1] = f"tags={files['dense']},mlm={files['dense']}"
    assert command(*line)[::2] == (1, f"{files['dense']}: was not trained on mlm\n")
    single = ("--single", f"one={files['dense']}")
    for options, (code, message) in (
        (("--single", "one"), (2, "expected CORPUS=CHECKPOINT")),
        (("--single", ""), (2, "expected CORPUS=CHECKPOINT")),
        (("--single", f"{single[1]},{files['dense']}"), (2, "expected CORPUS=CHECKPOINT")),
        ((*single, *single), (2, "'one' is named twice")),
        ((*single, "--single", "pear=x.pt"), (1, "'pear' is no corpus that the model has; did you mean 'pair'?")),
    ):
        status, out, err = command(*line[:4], *options)
        assert (status, out) == (code, "") and message in " ".join(err.split())
