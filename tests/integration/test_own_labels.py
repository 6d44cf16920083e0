"""Whole runs with weights of labels and smoothed truths: exact resume, two ranks, a loss that is computed by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin import load
from skill_plugin.checkpoints.checkpoint import read_checkpoint
from skill_plugin.inference.evaluation import evaluate
from tests.integration.conftest import Made, Run

pytestmark = pytest.mark.slow
Train = Callable[..., Run]
TWO = ("--distributed-world-size", 2, "--distributed-backend", "gloo")
ADDED = {
    "reviews-en": "class_weights: {positive: 3}",
    "names-en": "class_weights: balanced\n    label_smoothing: 0.05",
    "topics-es": "class_weights: balanced",
    "senses-en": "label_smoothing: 0",
}


@pytest.fixture(scope="module")
def weighted(every_kind: Made) -> Path:
    """The made corpora, of which some weigh labels."""
    text = every_kind.corpora.read_text(encoding="utf-8")
    for name, lines in ADDED.items():
        text = text.replace(f"  {name}:\n", f"  {name}:\n    {lines}\n")
    path = every_kind.corpora.with_name("weighted.yaml")
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def options(weighted: Path) -> tuple[object, ...]:
    """R3F, several corpora a batch, no dropout; an optimizer that hides no factor."""
    return (
        "--corpora", weighted, "--only-corpora", ",".join([*ADDED, "questions-en", "text-de"]),
        "--criterion", "multitask_r3f", "--r3f-sigma", 0.05, "--r3f-lambda", 1, "--label-smoothing", 0.1,
        "--corpora-per-batch", 2, "--optimizer", "sgd", "--lr", 0.2, "--clip-norm", 0, "--dropout", 0,
        "--attention-dropout", 0, "--head-dropout", 0, "--max-update", 6,
    )  # fmt: skip


@pytest.fixture(scope="module")
def one(options: tuple[object, ...], train: Train, every_kind: Made, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """In one process."""
    return train(tmp_path_factory.mktemp("one"), *options, "--update-freq", 2, data=every_kind.data)


def losses(run: Run) -> dict[int, str]:
    return {int(entry["num_updates"]): entry["loss"] for entry in run.log("num_updates") if "ups" in entry}


def test_what_the_weights_are(one: Run, every_kind: Made) -> None:
    """Counted in the raw files."""
    labels = re.findall(r",(positive|negative)\s", (every_kind.corpora.parent / "raw/reviews-en.train.csv").read_text())
    positive, negative = labels.count("positive"), labels.count("negative")
    assert positive + negative == 40
    scale = 40 / (3 * positive + negative)
    assert f"reviews-en: weights of labels: negative {scale:.4g}, positive {3 * scale:.4g}\n" in one.output
    lines = (every_kind.corpora.parent / "raw/names-en.train.conll").read_text().splitlines()
    tags = [line.split("\t")[1] for line in lines if line]
    occurring = sorted(set(tags), key=lambda tag: (tag != "O", tag))
    weights = ", ".join(f"{tag} {len(tags) / len(occurring) / tags.count(tag):.4g}" for tag in occurring)
    assert f"names-en: weights of labels: {weights}\n" in one.output
    assert "senses-en: weights" not in one.output


def test_a_run_that_goes_on_is_exact(
    one: Run,
    options: tuple[object, ...],
    train: Train,
    every_kind: Made,
    command: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
) -> None:
    """Calibrating its checkpoint changes nothing for it."""
    first = train(tmp_path, *options, "--update-freq", 2, "--max-update", 3, data=every_kind.data)
    status, out, _ = command("calibrate", tmp_path / "checkpoint_last.pt", "--data", every_kind.data)
    calibrations = read_checkpoint(tmp_path / "checkpoint_last.pt").bundle.calibrations
    shown = {name for name in calibrations if name in out.partition("thresholds")[2]}
    assert (status, shown) == (0, {name for name, one in calibrations.items() if one.thresholds})
    assert len(calibrations["topics-es"].thresholds) == 3
    second = train(tmp_path, *options, "--update-freq", 2, data=every_kind.data)
    assert min(losses(second)) == 4
    assert losses(first) | losses(second) == losses(one)
    assert not read_checkpoint(tmp_path / "checkpoint_last.pt").bundle.calibrations  # its weights are others
    expected = one.checkpoint()["model"]
    assert all(torch.equal(tensor, expected[name]) for name, tensor in second.checkpoint()["model"].items())


def test_two_ranks_are_one_process(
    one: Run, options: tuple[object, ...], train: Train, every_kind: Made, tmp_path: Path
) -> None:
    two = train(tmp_path, *options, *TWO, data=every_kind.data)
    expected = one.checkpoint()["model"]
    for name, tensor in two.checkpoint()["model"].items():
        torch.testing.assert_close(tensor, expected[name], atol=1e-6, rtol=1e-5, msg=name)
    for name in ("reviews-en", "names-en", "topics-es", "senses-en"):
        ours, theirs = (float(run.log("valid_avg")[-1][f"valid_{name}_ece"]) for run in (two, one))
        assert 0 < ours == pytest.approx(theirs, abs=1e-5)
    for ours, theirs in zip(losses(two).values(), losses(one).values(), strict=True):
        assert float(ours) == pytest.approx(float(theirs), rel=1e-3)


def test_training_and_evaluate_find_the_same_calibration_error(one: Run, every_kind: Made) -> None:
    results = evaluate(load(str(one.folder / "checkpoint_last.pt")), str(every_kind.data), "valid").results.corpora
    logged = one.log("valid_avg")[-1]
    errors = {name: found.calibration["ece"] for name, found in results.items() if found.calibration}
    assert errors.keys() == ADDED.keys()
    assert errors == {name: pytest.approx(float(logged[f"valid_{name}_ece"]), abs=1e-5) for name in errors}
    assert "valid_questions-en_ece" not in logged


def test_unknown_labels_are_refused(every_kind: Made, train_here: Callable[..., Any], tmp_path: Path) -> None:
    """Where only the data say which labels there are."""
    from skill_plugin.errors import InputError

    text = every_kind.corpora.read_text(encoding="utf-8")
    (tmp_path / "c.yaml").write_text(text.replace("  names-en:\n", "  names-en:\n    class_weights: {B-PRE: 2}\n"))
    with pytest.raises(InputError, match="'names-en': class_weights: unknown label 'B-PRE'"):
        train_here(tmp_path, "--corpora", tmp_path / "c.yaml", "--max-update", 1, data=every_kind.data)
