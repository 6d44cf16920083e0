"""Folders of runs as `evaluate` and training leave them, and the page that is made of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.api import Model
from skill_plugin.checkpoints.checkpoint import Checkpoint, save_checkpoint
from skill_plugin.inference.evaluation import evaluate
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import CORPORA, World, examples, make_world
from tests.html_page import HtmlPage

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def world(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    rows = {name: examples(name, 12) for name in CORPORA}
    return make_world(tmp_path_factory.mktemp("data") / "bin", open_tokenizer(sentencepiece_model), rows)


@pytest.fixture(scope="session")
def model(world: World) -> Model:
    return world.model()


@pytest.fixture(scope="session")
def run(world: World, model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint of every kind and its results."""
    folder = tmp_path_factory.mktemp("runs") / "joint"
    folder.mkdir()
    save_checkpoint(Checkpoint(model.bundle, model.model.state_dict()), folder / "checkpoint_best.pt")
    evaluate(model, str(world.folder), "valid").results.write(folder / "results.json")
    return folder


@pytest.fixture
def page(command: Command, tmp_path: Path) -> Callable[..., HtmlPage]:
    """page(*arguments) writes a report, and reads it."""

    def make(*arguments: object) -> HtmlPage:
        status, _, err = command("report", *arguments, "--out", tmp_path / "report.html")
        assert status == 0, err
        return HtmlPage.read(tmp_path / "report.html")

    return make


@pytest.fixture
def scored(tmp_path: Path) -> Callable[..., Path]:
    """scored("a", rte=0.7) writes the results.json of a run with scores of corpora, each of a language."""

    def write(name: str, metric: str = "accuracy", **scores: float) -> Path:
        corpora: dict[str, Any] = {
            corpus: {
                "language": corpus.split("_")[-1], "kind": "classification", "metric": metric, "value": value, "n": 10,
                "averaged": metric == "accuracy", "details": {}, "training": {}, "constant": 0.5,
            }
            for corpus, value in scores.items()
        }  # fmt: skip
        path = tmp_path / name / "results.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"split": "valid", "corpora": corpora}))
        return path.parent

    return write
