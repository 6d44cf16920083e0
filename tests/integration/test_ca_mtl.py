"""Whole runs of CA-MTL: training, what is frozen, resuming, and a new corpus that starts from a trained one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin import load
from skill_plugin.checkpoints.checkpoint import read_checkpoint
from skill_plugin.errors import InputError
from skill_plugin.variants.freezing import is_frozen
from tests.integration.conftest import renamed

pytestmark = pytest.mark.slow
ROW = "model.encoder.task_embeddings.rows.{}.weight"


@pytest.fixture(scope="module")
def conditioned(train: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("conditioned")
    return train(
        folder, "--max-epoch", 1, "--conditional-length", 16, "--save-interval-updates", 20, arch="ca_mtl_tiny"
    )


def test_the_checkpoint_knows_its_embeddings_and_what_was_frozen(
    conditioned: Any, made: Any, command: Callable[..., Any], tmp_path: Path
) -> None:
    assert "--freeze bottom-half without --init-from: random weights are frozen" in conditioned.output
    checkpoint = conditioned.folder / "checkpoint_last.pt"
    status, out, err = command("describe", checkpoint, "--json")
    assert status == 0, err
    described = json.loads(out)
    model = load(str(checkpoint))
    parameters = dict(model.model.named_parameters())
    frozen = sum(p.numel() for name, p in parameters.items() if is_frozen(name, "bottom-half", 2))
    assert described["parameters"]["total"] == sum(p.numel() for p in parameters.values())
    assert described["parameters"]["trainable"] == described["parameters"]["total"] - frozen > 0
    corpus = described["corpora"]["nli-en"]
    assert corpus["activated"] - corpus["trainable"] == frozen
    content = conditioned.checkpoint()
    assert len(content["last_optimizer_state"]["param_groups"][0]["params"]) == sum(
        not is_frozen(name, "bottom-half", 2) for name in parameters
    )
    assert content["model"]["model.encoder.layers.1.attention.matrix.blocks"].shape == (4, 4, 4)  # 64 // 16
    status, _, err = command("evaluate", checkpoint, made.data, "--json", tmp_path / "r.json")
    assert status == 0, err
    average = json.loads((tmp_path / "r.json").read_text())["avg"]
    assert average == pytest.approx(float(conditioned.log("valid_avg")[-1]["valid_avg"]), abs=1e-6)
    assert model.predict("nli-en", [("a", "b")])


def test_frozen_parameters_stay_and_all_others_move(conditioned: Any) -> None:
    before, after = conditioned.checkpoint("checkpoint_1_20.pt")["model"], conditioned.checkpoint()["model"]
    for name, tensor in before.items():
        assert torch.equal(tensor, after[name]) == is_frozen(name.removeprefix("model."), "bottom-half", 2), name


@pytest.mark.parametrize(
    ("arch", "options"),
    [
        (
            "ca_mtl_tiny",
            ("--conditional-form", "large", "--freeze", "embeddings", "--conditional-alignment", "separate"),
        ),
        ("skillnet_x_ffn_mha_tiny", ("--freeze", "bottom-half", "--autocast", "bf16")),
        ("mt_tag_tiny", ("--freeze", "bottom-half", "--memory-efficient-fp16", "--fp16-init-scale", 4)),
    ],
)
def test_freeze_is_for_every_variant(
    arch: str, options: tuple[Any, ...], train: Callable[..., Any], tmp_path: Path
) -> None:
    run = train(tmp_path, *options, "--max-update", 6, "--save-interval-updates", 1, "--disable-validation", arch=arch)
    first, last = run.checkpoint("checkpoint_1_1.pt")["model"], run.checkpoint()["model"]
    bundle = read_checkpoint(tmp_path / "checkpoint_last.pt").bundle
    assert bundle.freeze == options[options.index("--freeze") + 1]
    frozen = {name for name in first if is_frozen(name.removeprefix("model."), bundle.freeze, 2)}
    assert frozen and all(torch.equal(first[name], last[name]) for name in frozen)
    moved = {name for name in set(first) - frozen if not torch.equal(first[name], last[name])}
    assert any(".layers.1." in name for name in moved)


def test_resuming_is_exact(train: Callable[..., Any], tmp_path: Path) -> None:
    options = ("--max-update", 50, "--save-interval-updates", 7, "--disable-validation", "--conditional-length", 16)
    whole = train(tmp_path / "whole", *options, arch="ca_mtl_tiny")
    train(tmp_path / "parts", *options, "--max-update", 21, arch="ca_mtl_tiny")
    parts = train(tmp_path / "parts", *options, arch="ca_mtl_tiny")
    losses = [{e["num_updates"]: e["loss"] for e in run.log("ups")} for run in (whole, parts)]
    assert len(losses[1]) >= 29
    assert {update: losses[0][update] for update in losses[1]} == losses[1]
    first, second = whole.checkpoint()["model"], parts.checkpoint()["model"]
    assert all(torch.equal(first[name], second[name]) for name in first)
    other = train(tmp_path / "parts", *options, "--max-update", 60, "--freeze", "none", arch="ca_mtl_tiny", good=False)
    assert other.status == 1 and "Traceback" not in other.output
    assert "checkpoint_last.pt: its optimizer is that of other parameters than this run trains" in other.output
    assert "keep --freeze as it was" in other.output


def test_a_new_corpus_starts_from_an_embedding_and_a_head(
    conditioned: Any, made: Any, train: Callable[..., Any], tmp_path: Path
) -> None:
    new = renamed(made, tmp_path, "nli-en", "other-en", ["embedding_from: [nli-en, nli-de]", "head_from: nli-en"])
    run = train(
        tmp_path / "run", "--conditional-length", 16, "--corpora", new.corpora, "--only-corpora", "other-en",
        "--init-from", conditioned.folder / "checkpoint_last.pt", "--max-update", 1, "--lr", 0.0,
        "--save-interval-updates", 1, arch="ca_mtl_tiny", data=new.data,
    )  # fmt: skip
    assert "task embeddings: other-en starts from the mean of nli-en, nli-de" in run.output
    assert "random weights are frozen" not in run.output
    before, after = conditioned.checkpoint()["model"], run.checkpoint()["model"]
    mean = (before[ROW.format("nli-en")] + before[ROW.format("nli-de")]) / 2
    torch.testing.assert_close(after[ROW.format("other-en")], mean)
    assert [name for name in after if ".rows." in name] == [ROW.format("other-en")]


def test_bad_options_are_refused(train_here: Callable[..., None], tmp_path: Path) -> None:
    for options, arch, message in (
        (("--conditional", "attention"), "dense_tiny", "dense has no conditional modules"),
        (("--conditional", "attentoin"), "ca_mtl_tiny", "did you mean 'attention'"),
        (("--conditional", "norm", "--conditional-form", "large"), "ca_mtl_tiny", "about the bottleneck"),
        (("--conditional", "norm", "--conditional-alignment", "separate"), "ca_mtl_tiny", "is about alignment"),
    ):
        with pytest.raises(InputError, match=message):
            train_here(tmp_path, *options, arch=arch)
