"""What calibration finds is what every door answers by."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from skill_plugin.api import Model, load
from skill_plugin.checkpoints.checkpoint import Checkpoint, read_checkpoint, save_checkpoint
from skill_plugin.checkpoints.slice import take_slice
from skill_plugin.export.huggingface.write import write_hub_folder
from skill_plugin.export.onnx.write_onnx import write_onnx
from skill_plugin.export.parity import compare
from skill_plugin.export.task_of import task_of
from skill_plugin.inference.calibration import CalibratedCorpus, calibrate
from skill_plugin.inference.evaluation import evaluate
from skill_plugin.metrics.calibration_error import BINS
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import World, examples, make_world, raw_input

NAMES = ("one", "topics", "tags", "wic", "nsp")
ROWS = {name: examples(name, 25, words=20) for name in (*NAMES, "score", "span")}
ROWS["span"] = [row._replace(answer=() if number % 2 else row.answer) for number, row in enumerate(ROWS["span"])]
Found = dict[str, CalibratedCorpus]
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def world(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("data") / "bin", open_tokenizer(sentencepiece_model), ROWS)


@pytest.fixture(scope="module")
def plain(world: World) -> Model:
    return world.model()


@pytest.fixture(scope="module")
def found(plain: Model, world: World) -> Found:
    return calibrate(plain, str(world.folder))[0]


@pytest.fixture
def checkpoint(plain: Model, tmp_path: Path) -> Path:
    save_checkpoint(Checkpoint(plain.bundle, plain.model.state_dict()), tmp_path / "model.pt")
    return tmp_path / "model.pt"


@pytest.fixture
def calibrated(checkpoint: Path, world: World, command: Command) -> Model:
    """As read again from the checkpoint."""
    status, out, err = command("calibrate", checkpoint, "--data", world.folder)
    assert status == 0, err
    assert "score: left out, has nothing to calibrate" in err
    assert "topics" in out
    return load(str(checkpoint))


def test_probabilities_are_those_of_divided_logits(found: Found, plain: Model, calibrated: Model) -> None:
    for name in ("one", "wic", "topics"):
        degree = found[name].calibration.temperature
        assert abs(degree - 1) > 0.1
        inputs = [raw_input(name, row) for row in ROWS[name]]
        logits = torch.cat(plain.logits(name, inputs)) / degree
        shares = logits.sigmoid() if name == "topics" else logits.softmax(1)
        answers: list[Any] = calibrated.predict(name, inputs)
        torch.testing.assert_close(torch.tensor([list(one.probabilities.values()) for one in answers]), shares)
        torch.testing.assert_close(torch.cat(calibrated.logits(name, inputs)), logits)
        if name != "topics":  # the likeliest stays the likeliest
            assert [one.label for one in answers] == [one.label for one in plain.predict(name, inputs)]  # type: ignore[attr-defined]
            continue
        given = shares.double() > torch.tensor(found[name].calibration.thresholds)
        labels = plain.labels(name)
        assert [one.labels for one in answers] == [[x for x, y in zip(labels, row, strict=True) if y] for row in given]


def test_results_have_the_error_of_what_is_answered(found: Found, calibrated: Model, world: World) -> None:
    results = evaluate(calibrated, str(world.folder), "valid").results.corpora
    for name, one in found.items():
        assert results[name].value == one.after.value >= one.before.value - (name == "tags")
        assert results[name].calibration == one.after.calibration
    inputs = [raw_input("one", row) for row in ROWS["one"]]
    answers: list[Any] = calibrated.predict("one", inputs)
    sure = np.array([max(one.probabilities.values()) for one in answers])
    right = np.array([one.label == row.answer for one, row in zip(answers, ROWS["one"], strict=True)])
    parts = [np.minimum(sure * BINS, BINS - 1).astype(int) == part for part in range(BINS)]
    expected = sum(abs((sure[part] - right[part]).sum()) for part in parts) / len(sure)
    assert results["one"].calibration["ece"] == pytest.approx(expected, rel=1e-5)
    assert sum(part["n"] for part in results["one"].calibration["bins"]) == 25
    assert "calibration" not in results["score"].to_json()
    assert found["one"].after.calibration["ece"] < found["one"].before.calibration["ece"]


@pytest.mark.parametrize("name", ["one", "topics", "tags", "span", "nsp"])
def test_exports_have_it_in_their_weights_and_settings(name: str, calibrated: Model, tmp_path: Path) -> None:
    sliced = take_slice(Checkpoint(calibrated.bundle, calibrated.model.state_dict()), name)
    folder = tmp_path / "out"
    folder.mkdir()
    written = write_hub_folder(sliced, name, folder, "float32")
    rows = [row._replace(texts=(row.texts * 2)[:2]) if name == "nsp" else row for row in ROWS[name]]
    parity = compare(calibrated, name, written.exported, rows, "rows", "float32")
    assert parity.good, parity.to_line()
    decoding, (*_, note) = json.loads((folder / "config.json").read_text()).get("decoding", {}), written.notes or ("",)
    thresholds = calibrated.bundle.calibration(name).thresholds
    if name == "topics":
        assert decoding == {"thresholds": dict(zip("xyz", thresholds, strict=True))}
        assert note.startswith("A text has each label whose probability is above its threshold: `x` ")
    if name == "span":
        assert (decoding["no_answer_threshold"],) == thresholds


@pytest.mark.parametrize("name", ["topics", "tags", "wic", "span"])
def test_graphs_have_it_too(name: str, calibrated: Model, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    written = write_onnx(Checkpoint(calibrated.bundle, calibrated.model.state_dict()), name, folder, "float32")
    parity = compare(calibrated, name, written.exported, ROWS[name], "rows", "float32")
    assert parity.good, parity.to_line()
    unit = task_of(calibrated.items(name).reading).unit
    assert unit == 1 / calibrated.bundle.calibration(name).temperature
    ours = calibrated.logits(name, [raw_input(name, ROWS[name][0])])[0]
    torch.testing.assert_close(ours, written.exported.logits(ROWS[name][0]) * unit, atol=1e-4, rtol=1e-4)
    decoding = json.loads((folder / "config.json").read_text())["decoding"]
    assert name != "topics" or list(decoding["thresholds"]) == ["x", "y", "z"]


def test_only_some_and_elsewhere(checkpoint: Path, world: World, command: Command, tmp_path: Path) -> None:
    before = checkpoint.read_bytes()
    line = ("calibrate", checkpoint, "--data", world.folder, "--out", tmp_path / "out.pt")
    status, out, _ = command(*line, "--only-corpora", "one", "--json")
    assert (status, list(json.loads(out))) == (0, ["one"])
    assert checkpoint.read_bytes() == before
    first = read_checkpoint(tmp_path / "out.pt").bundle.calibrations
    line = ("calibrate", tmp_path / "out.pt", "--data", world.folder)
    assert command(*line, "--only-corpora", "topics", "--no-temperature")[0] == 0
    bundle = read_checkpoint(tmp_path / "out.pt").bundle
    assert bundle.calibrations["one"] == first["one"]
    assert bundle.calibrations["topics"].temperature == 1.0
    assert len(bundle.calibrations["topics"].thresholds) == 3
    status, out, _ = command("describe", tmp_path / "out.pt", "--json")
    assert json.loads(out)["calibrations"]["topics"]["thresholds"] == list(bundle.calibrations["topics"].thresholds)
    assert "calibrations" in command("describe", tmp_path / "out.pt")[1]
    status, _, err = command(*line, "--only-corpora", "score")
    assert (status, err.strip()) == (1, f"{world.folder}: nothing to calibrate (score: has nothing to calibrate)")


def test_a_temperature_at_a_bound_is_told(plain: Model, world: World, command: Command, tmp_path: Path) -> None:
    state = dict(plain.model.state_dict())
    head = plain.bundle.corpus("one").head
    state |= {name: 1e4 * value for name, value in state.items() if name.startswith(f"heads.{head}.out_proj.")}
    save_checkpoint(Checkpoint(plain.bundle, state), tmp_path / "model.pt")
    line = ("calibrate", tmp_path / "model.pt", "--data", world.folder, "--only-corpora", "one,nsp")
    status, out, err = command(*line, "--json")
    notice = "its temperature is the greatest that is tried, 20: as if its answers were no better than chance"
    assert (status, err.strip()) == (0, f"one: {notice}")
    assert {name: found.get("notice") for name, found in json.loads(out).items()} == {"one": notice, "nsp": None}
