"""Whole runs from a trained checkpoint: what moves, and what does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin.checkpoints.checkpoint import read_checkpoint

pytestmark = pytest.mark.slow
Train = Callable[..., Any]


def with_skill(made: Any, folder: Path) -> Path:
    """The made corpora with one skill more, which names-en activates."""
    text = made.corpora.read_text(encoding="utf-8").replace("skills:\n", "skills:\n  medical: texts of physicians\n", 1)
    before, section, after = text.partition("\n  names-en:")
    after = after.replace("skills: [", "skills: [medical, ", 1)
    (folder / "grown.yaml").write_text(before + section + after, encoding="utf-8")
    return folder / "grown.yaml"


def made_names(checkpoint: Path) -> list[str]:
    return list(read_checkpoint(checkpoint).bundle.labels)


def test_old_parts_stay_and_the_new_skill_moves(made: Any, train: Train, trained: Any, tmp_path: Path) -> None:
    old = trained.folder / "checkpoint_last.pt"
    corpora = with_skill(made, made.corpora.parent)
    run = train(
        tmp_path, "--corpora", corpora, "--init-from", old, "--freeze", "old", "--only-corpora", "names-en",
        "--max-update", 5, "--save-interval-updates", 1,
    )  # fmt: skip
    first, last = run.checkpoint("checkpoint_1_1.pt")["model"], run.checkpoint()["model"]
    before = trained.checkpoint()["model"]
    bundle = read_checkpoint(tmp_path / "checkpoint_last.pt").bundle
    old_names = ", ".join(name for name in made_names(old) if name != "names-en")
    assert f"so that they stay bit by bit: {old_names}" in run.output
    assert "corpora of the file that change: names-en (trained: heads.names-en)" in run.output
    assert bundle.new_parameters and all(".task_skills.medical." in name for name in bundle.new_parameters)
    moved = {name.removeprefix("model.") for name in last if not torch.equal(first[name], last[name])}
    assert moved == {*bundle.new_parameters, *(n for n in moved if n.startswith("heads.names-en."))}
    assert any(name.startswith("heads.") for name in moved)
    kept = [name for name in last if name.removeprefix("model.") not in moved]
    assert all(torch.equal(before[name], last[name]) for name in kept)
    optimised = run.checkpoint()["last_optimizer_state"]["param_groups"][0]["params"]
    assert len(optimised) == len(moved)
    resumed = train(
        tmp_path, "--corpora", corpora, "--init-from", old, "--freeze", "old", "--only-corpora", "names-en",
        "--max-update", 8,
    )  # fmt: skip
    again = resumed.checkpoint()["model"]
    assert all(torch.equal(before[name], again[name]) for name in kept)
    assert not torch.equal(again[f"model.{bundle.new_parameters[0]}"], last[f"model.{bundle.new_parameters[0]}"])


def test_old_corpora_without_a_train_split_are_watched(
    made: Any, train: Train, trained: Any, command: Callable[..., Any], tmp_path: Path
) -> None:
    """The grown model has their heads too, since they are known; one that answers with other labels is left out."""
    text = re.sub("    train: raw/reviews-.*\n", "", made.corpora.read_text(encoding="utf-8"))
    german = text.index("  reviews-de:")
    text = text[:german] + text[german:].replace("[negative, positive]", "[positive, negative]", 1)
    corpora, data = made.corpora.with_name("watched.yaml"), tmp_path / "data"
    corpora.write_text(text, encoding="utf-8")
    names = "names-en,reviews-en,reviews-de"
    status, _, err = command("prepare", corpora, data, "--tokenizer", made.tokenizer, "--only-corpora", names)
    assert status == 0, err
    old, options = trained.folder / "checkpoint_last.pt", ("--only-corpora", names, "--max-update", 1)
    run = train(tmp_path / "grown", "--corpora", corpora, "--init-from", old, *options, data=data)
    assert made_names(tmp_path / "grown/checkpoint_last.pt") == ["reviews-en", "names-en"]
    assert f"no train split, left out: reviews-de, since {old} has 'reviews-de' with the labels" in run.output
    before, after = trained.checkpoint()["model"], run.checkpoint()["model"]
    heads = [name for name in before if name.startswith("model.heads.reviews-en.")]
    assert heads and all(torch.equal(before[name], after[name]) for name in heads)
    assert run.log("valid_reviews-en_accuracy")
    fresh = train(tmp_path / "fresh", "--corpora", corpora, *options, data=data)
    assert "no train split and no corpus to share a head with, left out: reviews-en, reviews-de" in fresh.output


def test_old_needs_what_is_old(train: Train, tmp_path: Path) -> None:
    run = train(tmp_path, "--freeze", "old", "--max-update", 1, good=False)
    assert "--freeze old: goes with --init-from, whose weights are the old ones" in run.output


def test_a_label_that_is_added(made: Any, train: Train, trained: Any, tmp_path: Path) -> None:
    """On two ranks, which draw the same fresh row, and in a run that goes on; at a rate of 0, so that nothing moves."""
    text = made.corpora.read_text(encoding="utf-8")
    assert "labels: [negative, positive]" in text
    grown = made.corpora.with_name("labels.yaml")
    grown.write_text(text.replace("labels: [negative, positive]", "labels: [positive, mixed, negative]"))
    options = (
        "--corpora", grown, "--init-from", trained.folder / "checkpoint_last.pt", "--only-corpora", "reviews-en,nli-en",
        "--optimizer", "sgd", "--lr", 0, "--distributed-world-size", 2, "--distributed-backend", "gloo",
    )  # fmt: skip
    first = train(tmp_path, *options, "--max-update", 1)
    assert "heads: reviews-en keeps the rows of positive, negative; fresh rows: mixed\n" in first.output
    second = train(tmp_path, *options, "--max-update", 2)
    before, after, later = (run.checkpoint()["model"] for run in (trained, first, second))
    for part in ("weight", "bias"):
        name = f"model.heads.reviews-en.out_proj.{part}"
        assert torch.equal(after[name][[2, 0]], before[name])
        assert not torch.equal(after[name][1], before[name][0])
        assert torch.equal(later[name], after[name])
    assert torch.equal(after["model.heads.nli-en.out_proj.weight"], before["model.heads.nli-en.out_proj.weight"])
    assert float(second.log("valid_reviews-en_accuracy")[-1]["valid_reviews-en_accuracy"]) == pytest.approx(
        float(first.log("valid_reviews-en_accuracy")[-1]["valid_reviews-en_accuracy"])
    )
