"""SkillNet-X, section 3.4: skills are trained on raw text, and a model for other corpora starts from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

from tests.integration.conftest import Made, Run

pytestmark = pytest.mark.slow
SKILLS = ("generic", "token", "sentence", "interact")  # of both objectives together
ONCE = ("--max-update", 1, "--lr", 0)
Train = Callable[..., Run]


def write(made: Made, name: str, skills: tuple[str, ...], corpora: tuple[str, ...]) -> Path:
    """A corpora file with some of the corpora, and no others of their skills."""
    content = yaml.safe_load(made.corpora.read_text())
    content["skills"] = {skill: content["skills"][skill] for skill in skills}
    content["corpora"] = {corpus: content["corpora"][corpus] for corpus in corpora}
    for corpus in content["corpora"].values():
        corpus["skills"] = [skill for skill in corpus["skills"] if skill in skills]
    file = made.corpora.with_name(name)
    file.write_text(yaml.safe_dump(content, sort_keys=False))
    return file


@pytest.fixture(scope="module")
def pretrained(train: Train, every_kind: Made, tmp_path_factory: pytest.TempPathFactory) -> Run:
    corpora = write(every_kind, "pretrain.yaml", SKILLS, ("text-de", "text-zh", "documents-es", "documents-zh"))
    options = ("--corpora", corpora, "--max-epoch", 6, "--best-checkpoint-metric", "documents-zh_accuracy")
    folder = tmp_path_factory.mktemp("pretrained")
    return train(folder, *options, "--lr", 3e-3, "--save-interval", 6, data=every_kind.data)


@pytest.fixture(scope="module")
def downstream(every_kind: Made) -> Path:
    """Another file with two more skills; one of its corpora is also of the pre-training."""
    skills = (*SKILLS, "sentiment", "question")
    return write(every_kind, "downstream.yaml", skills, ("nli-de", "reviews-zh", "names-zh", "questions-en", "text-de"))


@pytest.fixture(scope="module")
def started(
    train: Train, every_kind: Made, pretrained: Run, downstream: Path, tmp_path_factory: pytest.TempPathFactory
) -> Run:
    """The start itself: one update that changes nothing."""
    initial = ("--init-from", pretrained.folder / "checkpoint_last.pt")
    folder = tmp_path_factory.mktemp("started")
    return train(folder, "--corpora", downstream, *initial, *ONCE, data=every_kind.data)


def test_only_what_is_active_was_trained(pretrained: Run) -> None:
    """MLM activates generic and token, NSP generic, sentence and interact; no corpus is in English."""
    weights = pretrained.checkpoint()["model"]
    name = "model.encoder.layers.0.feed_forward.task_skills.{}.fc1.bias"
    assert all(weights[name.format(skill)].any() for skill in SKILLS)
    attention = "model.encoder.layers.0.attention.languages.{}.qkv.bias"
    assert {language: bool(weights[attention.format(language)].any()) for language in ("en", "de", "es", "zh")} == {
        "en": False, "de": True, "es": True, "zh": True,
    }  # fmt: skip


def test_skills_of_the_same_name_are_bit_identical(pretrained: Run, started: Run) -> None:
    before, after = pretrained.checkpoint()["model"], started.checkpoint()["model"]
    shared = [name for name in after if name in before]
    assert all(torch.equal(after[name], before[name]) for name in shared)
    assert {name.split(".")[1] for name in after if name not in before} == {"encoder", "heads"}
    for name in (name for name in after if name not in before and ".encoder." in name):
        new = next(skill for skill in ("sentiment", "question") if f".{skill}." in name)
        mean = torch.stack([before[name.replace(f".{new}.", f".{skill}.")] for skill in SKILLS]).mean(0)
        torch.testing.assert_close(after[name], mean)


def test_the_start_is_as_good_as_the_pretraining_and_better_than_none(
    pretrained: Run, started: Run, train: Train, every_kind: Made, downstream: Path, tmp_path: Path
) -> None:
    def perplexity(run: Run) -> float:
        return float(run.log("valid_text-de_perplexity")[-1]["valid_text-de_perplexity"])

    random = train(tmp_path, "--corpora", downstream, *ONCE, data=every_kind.data)
    assert perplexity(started) == pytest.approx(perplexity(pretrained), rel=1e-4)
    assert perplexity(started) < 0.8 * perplexity(random)


def test_describe_says_where_the_weights_come_from(
    pretrained: Run, started: Run, train: Train, every_kind: Made, downstream: Path, command: Callable[..., Any]
) -> None:
    # goes on without --init-from, and remembers
    train(started.folder, "--corpora", downstream, "--max-update", 3, data=every_kind.data)
    status, out, err = command("describe", started.folder / "checkpoint_last.pt", "--json")
    assert status == 0, err
    (origin,) = json.loads(out)["origin"]
    assert origin["file"] == str(pretrained.folder / "checkpoint_last.pt")
    place = "encoder.feed_forward.task_skills"
    assert origin["groups"]["skills"]["averaged"] == [f"{place}.question", f"{place}.sentiment"]
    assert {f"{place}.{skill}" for skill in SKILLS} < set(origin["groups"]["skills"]["taken"])
    heads = {"fresh": [f"heads.{name}" for name in ("names-zh", "nli-de", "questions-en", "reviews-zh")]}
    assert origin["groups"]["heads"] == {"taken": ["heads.text-de"], **heads}
    assert origin["left"] == ["heads.documents-es", "heads.documents-zh", "heads.text-zh"]
    status, out, _ = command("describe", started.folder / "checkpoint_last.pt")
    assert "left in the file: heads.documents-es, heads.documents-zh, heads.text-zh" in " ".join(out.split())
    status, out, _ = command("describe", pretrained.folder / "checkpoint_last.pt", "--json")
    assert json.loads(out)["origin"] == []
