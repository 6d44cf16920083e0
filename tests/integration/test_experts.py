"""Whole runs of expert models: training with options, the checkpoint alone, and a new corpus that starts from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin import load
from skill_plugin.errors import InputError
from tests.integration.conftest import renamed

pytestmark = pytest.mark.slow
OPTIONS = ("--experts", 3, "--expert-layers", "1", "--balance-loss", 0.01, "--expert-scale", "rescaled")


@pytest.fixture(scope="module")
def mixture(train: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    return train(tmp_path_factory.mktemp("mixture"), *OPTIONS, "--max-epoch", 1, arch="mt_tag_tiny")


def test_the_checkpoint_knows_its_experts_and_gates(
    mixture: Any, made: Any, command: Callable[..., Any], tmp_path: Path
) -> None:
    balance = [float(entry["balance_loss"]) for entry in mixture.log("balance_loss")]
    assert all(0.0099 < value < 0.031 for value in balance)  # 0.01 times 1 (even) to 3 (one expert) for its one layer
    checkpoint = mixture.folder / "checkpoint_last.pt"
    status, out, err = command("describe", checkpoint, "--json")
    assert status == 0, err
    counts = json.loads(out)["parameters"]
    expert = 64 * 128 + 128 + 128 * 64 + 64
    assert (counts["experts"], counts["experts_added"]) == (3 * expert, 2 * expert)
    model = load(str(checkpoint))
    assert counts["gates"] == 3 * 64 * len(model.corpora)
    assert counts["total"] == sum(p.numel() for p in model.model.parameters())
    status, _, err = command("evaluate", checkpoint, made.data, "--json", tmp_path / "r.json")
    assert status == 0, err
    average = json.loads((tmp_path / "r.json").read_text())["avg"]
    assert average == pytest.approx(float(mixture.log("valid_avg")[-1]["valid_avg"]), abs=1e-6)


def test_a_noisy_gate_resumes_exactly_and_is_quiet_when_scored(
    made: Any, train: Callable[..., Any], train_here: Callable[..., None], command: Callable[..., Any], tmp_path: Path
) -> None:
    options = ("--gate-noise", "--importance-loss", 0.1)
    whole = train(tmp_path / "whole", *options, "--max-update", 6, arch="moe_top2_tiny")
    train(tmp_path / "parts", *options, "--max-update", 3, arch="moe_top2_tiny")
    parts = train(tmp_path / "parts", *options, "--max-update", 6, arch="moe_top2_tiny")
    expected, found = whole.checkpoint()["model"], parts.checkpoint()["model"]
    assert all(torch.equal(tensor, found[name]) for name, tensor in expected.items())
    noise = [tensor for name, tensor in expected.items() if name.endswith(".gate_noise.weight")]
    assert len(noise) == 2 and all(tensor.any() for tensor in noise)  # from 0
    assert all(0 < float(entry["balance_loss"]) < 2 for entry in whole.log("balance_loss"))
    checkpoint = parts.folder / "checkpoint_last.pt"
    status, out, err = command("describe", checkpoint, "--json")
    assert status == 0, err
    assert json.loads(out)["parameters"]["gates"] == 2 * 2 * 10 * 64
    status, _, err = command("evaluate", checkpoint, made.data, "--json", tmp_path / "r.json")
    assert status == 0, err
    average = json.loads((tmp_path / "r.json").read_text())["avg"]
    assert average == pytest.approx(float(parts.log("valid_avg")[-1]["valid_avg"]), abs=1e-6)
    for given, message in (
        (("--importance-loss", 0.1), "--importance-loss 0.1: goes with --gate-noise"),
        (("--gate-noise", "--importance-loss", "nan"), "--importance-loss nan: expected 0 or more"),
        (("--max-update", 8), "cannot resume: the run was with --gate-noise; see --init-from"),
    ):
        with pytest.raises(InputError, match=message):
            train_here(parts.folder, *given, arch="moe_top2_tiny")


def test_a_new_corpus_starts_from_a_gate_and_a_head(
    mixture: Any, made: Any, train: Callable[..., Any], tmp_path: Path
) -> None:
    new = renamed(made, tmp_path, "nli-en", "other-en", ["gate_from: [nli-en, nli-de]", "head_from: nli-en"])
    run = train(
        tmp_path / "run", *OPTIONS, "--corpora", new.corpora, "--only-corpora", "other-en", "--init-from",
        mixture.folder / "checkpoint_last.pt", "--max-update", 1, "--lr", 0.0, "--save-interval-updates", 1,
        arch="mt_tag_tiny", data=new.data,
    )  # fmt: skip
    assert "gates: other-en starts from the mean of nli-en, nli-de" in run.output
    before, after = mixture.checkpoint()["model"], run.checkpoint()["model"]
    gate = "model.encoder.layers.1.feed_forward.gates.{}.weight"
    mean = (before[gate.format("nli-en")] + before[gate.format("nli-de")]) / 2
    torch.testing.assert_close(after[gate.format("other-en")], mean)
    assert torch.equal(after["model.heads.other-en.dense.bias"], before["model.heads.nli-en.dense.bias"])
    assert gate.format("nli-en") not in after


@pytest.mark.parametrize("arch", ["mt_switch_tiny", "moe_top2_tiny"])
def test_a_shared_gate_trains(arch: str, train: Callable[..., Any], tmp_path: Path) -> None:
    run = train(tmp_path, "--max-update", 3, "--autocast", "bf16", arch=arch)
    names = run.checkpoint()["model"]
    experts = {name.split(".")[6] for name in names if ".experts." in name}
    assert len(experts) == (4 if arch == "mt_switch_tiny" else 10)
    assert "model.encoder.layers.0.feed_forward.gate.weight" in names
    assert load(str(run.folder / "checkpoint_last.pt")).predict("nli-en", [("a", "b")])


def test_bad_options_are_refused(train_here: Callable[..., None], tmp_path: Path) -> None:
    for options, arch, message in (
        (("--experts", 4), "dense_tiny", "dense has no experts"),
        (("--balance-loss", 0.1), "skillnet_tiny", "--balance-loss 0.1: skillnet has no experts"),
        (("--experts-per-token", 5), "mt_tag_tiny", "--experts-per-token 5: expected 1 to 4"),
    ):
        with pytest.raises(InputError, match=message):
            train_here(tmp_path, *options, arch=arch)
