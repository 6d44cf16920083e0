"""Whole runs with R3F and R4F: exact resume, two ranks, half precision, and constraints that outlive a checkpoint."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin import load
from skill_plugin.errors import InputError
from skill_plugin.nn.heads.spectral_linear import SpectralLinear
from tests.integration.conftest import ROOT, Made, Run, execute

pytestmark = pytest.mark.slow
Train = Callable[..., Run]
R3F = ("--criterion", "multitask_r3f")
# a learning rate that takes heads out of the constraint within a few updates
R4F = (*R3F, "--r4f", "--lr", 0.2, "--max-update", 30)
TWO = ("--distributed-world-size", 2, "--distributed-backend", "gloo")


def losses(run: Run) -> dict[int, tuple[str, str]]:
    """Loss and divergence of each update, as logged."""
    return {
        int(entry["num_updates"]): (entry["loss"], entry["kl"])
        for entry in run.log("num_updates")
        if "kl" in entry and "ups" in entry
    }


def test_resume_is_exact(train: Train, every_kind: Made, tmp_path: Path) -> None:
    """All kinds, with noise large enough to be seen in the loss."""
    options = (*R3F, "--r3f-sigma", 0.05, "--r3f-lambda", 1, "--corpora", every_kind.corpora)
    whole = train(tmp_path / "whole", *options, "--max-update", 24, data=every_kind.data)
    first = train(tmp_path / "parts", *options, "--max-update", 13, data=every_kind.data)
    second = train(tmp_path / "parts", *options, "--max-update", 24, data=every_kind.data)
    assert min(losses(second)) == 14
    assert losses(first) | losses(second) == losses(whole)
    assert all(float(divergence) > 0 for _, divergence in losses(whole).values())
    expected = whole.checkpoint()["model"]
    assert all(torch.equal(tensor, expected[name]) for name, tensor in second.checkpoint()["model"].items())
    # validation knows nothing of noise
    assert not any("kl" in key for key in whole.log("valid_avg")[-1])
    kinds = {key for entry in whole.log("num_updates") for key in entry if key.endswith("_kl")}
    assert len(kinds) > 9


@pytest.mark.parametrize("variant", ["skillnet_x_ffn_mha", pytest.param("mt_tag", marks=pytest.mark.long)])
def test_two_ranks_are_one_with_update_freq_2(variant: str, train: Train, tmp_path: Path) -> None:
    """Noise follows a batch to whichever rank it comes."""
    options = [*R3F, "--r3f-sigma", 0.05, "--r3f-lambda", 1, "--optimizer", "sgd", "--lr", 0.5, "--clip-norm", 0]
    options += ["--dropout", 0, "--attention-dropout", 0, "--head-dropout", 0, "--max-update", 5]
    one = train(tmp_path / "one", *options, "--update-freq", 2, arch=f"{variant}_tiny")
    two = train(tmp_path / "two", *options, *TWO, "--ddp-backend", "pytorch_ddp", arch=f"{variant}_tiny")
    expected = one.checkpoint()["model"]
    for name, tensor in two.checkpoint()["model"].items():
        torch.testing.assert_close(tensor, expected[name], atol=1e-6, rtol=1e-5, msg=name)
    for ours, theirs in zip(losses(two).values(), losses(one).values(), strict=True):
        assert [*map(float, ours)] == pytest.approx([*map(float, theirs)], rel=1e-3)


@pytest.fixture(scope="module")
def exact_divergence(train: Train, tmp_path_factory: pytest.TempPathFactory) -> float:
    """Of the first update in float32, with weights that are drawn alike in every mode."""
    run = train(tmp_path_factory.mktemp("float32"), *R3F, "--dropout", 0, "--attention-dropout", 0, "--head-dropout",
                0, "--max-update", 1, "--disable-validation")  # fmt: skip
    return float(losses(run)[1][1])


@pytest.mark.parametrize(
    "mode",
    [
        ("--autocast", "bf16"),
        pytest.param(("--fp16", "--fp16-no-flatten-grads", "--fp16-init-scale", 4), marks=pytest.mark.long),
        pytest.param(("--memory-efficient-fp16", "--fp16-init-scale", 4), marks=pytest.mark.long),
    ],
    ids=lambda mode: mode[0],
)
def test_200_steps_in_half_precision(
    mode: tuple[object, ...], exact_divergence: float, train: Train, tmp_path: Path
) -> None:
    dropout = ("--dropout", 0, "--attention-dropout", 0, "--head-dropout", 0)
    run = train(tmp_path, *R3F, *mode, *dropout, "--max-update", 200)
    values = [[*map(float, pair)] for pair in losses(run).values()]
    assert len(values) == 200
    assert all(math.isfinite(loss) and math.isfinite(kl) and kl >= 0 for loss, kl in values)
    assert all(tensor.isfinite().all() for tensor in run.checkpoint()["model"].values())
    assert 0.5 < values[0][1] / exact_divergence < 2
    assert values[-1][0] < values[0][0]


@pytest.fixture(scope="module")
def held(train: Train, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(tmp_path_factory.mktemp("held"), *R4F, "--no-last-checkpoints")


def singular_values(checkpoint: Path) -> tuple[list[float], list[float]]:
    """The largest one of each head's last map, as applied and as stored."""
    maps = [part for part in load(str(checkpoint)).model.heads.modules() if isinstance(part, SpectralLinear)]
    applied, stored = ([one.effective_weight() for one in maps], [one.weight for one in maps])
    return tuple([float(torch.linalg.svdvals(w.detach().double())[0]) for w in ws] for ws in (applied, stored))  # type: ignore[return-value]


def test_r4f_outlives_the_checkpoint(held: Run, made: Made, command: Callable[..., Any], tmp_path: Path) -> None:
    best = held.folder / "checkpoint_best.pt"
    applied, stored = singular_values(best)
    assert len(applied) == len(load(str(best)).bundle.heads())
    assert max(applied) <= 1 + 1e-6
    assert max(stored) > 1.2  # it has something to hold
    status, _, err = command("evaluate", best, made.data, "--json", tmp_path / "r.json")
    assert status == 0, err
    results, logged = json.loads((tmp_path / "r.json").read_text()), held.log("valid_avg")[-1]
    assert results["avg"] == pytest.approx(float(logged["valid_avg"]), abs=1e-5)
    for name, result in results["corpora"].items():
        logged_value = float(logged[f"valid_{name}_{result['metric']}"])
        assert result["value"] == pytest.approx(logged_value, rel=1e-4, abs=2e-6)
    status, out, err = command("describe", best, "--json")
    assert status == 0, err
    assert all(corpus["constrained"] for corpus in json.loads(out)["corpora"].values())


def test_fairseq_validate_gives_what_training_gave(held: Run, made: Made, tmp_path: Path) -> None:
    status, output = execute(
        sys.executable, "-m", "fairseq_cli.validate", made.data, "--user-dir", ROOT / "skill_plugin",
        "--task", "multilingual_multitask", "--path", held.folder / "checkpoint_best.pt", "--valid-subset", "valid",
        "--batch-size", 16, "--cpu", "--log-format", "json",
    )  # fmt: skip
    assert status == 0, output
    expected = held.log("valid_avg")[-1]
    found = Run(status, output, tmp_path).log("valid_avg" if "valid_avg" in output else "avg")[-1]
    for key in ("loss", "avg"):
        value = found.get(f"valid_{key}", found.get(key))
        assert float(value) == pytest.approx(float(expected[f"valid_{key}"]), abs=1e-5)


@pytest.mark.parametrize("more", [(), ("--r4f",)])
def test_other_runs_start_from_it(held: Run, train: Train, tmp_path: Path, more: tuple[str, ...]) -> None:
    """With the constraint or without, they give what it gave."""
    source = ("--init-from", held.folder / "checkpoint_best.pt", "--lr", 0, "--max-update", 1)
    run = train(tmp_path, *source, *more)
    expected, found = held.log("valid_avg")[-1], run.log("valid_avg")[-1]
    assert "fresh: nothing" in run.output
    for key in ("valid_loss", "valid_avg"):
        assert float(found[key]) == pytest.approx(float(expected[key]), abs=1e-5)


def test_linear_heads(
    trained: Run, train: Train, train_here: Callable[..., None], command: Callable[..., Any], tmp_path: Path
) -> None:
    """With R3F, R4F and adapters: trained, resumed, described; they do not go on from dense ones."""
    source = ("--init-from", trained.folder / "checkpoint_last.pt", "--lora-rank", 2, "--r4f")
    options = (*R3F, *source, "--r3f-dropout", "independent")
    run = train(tmp_path, *options, "--head", "linear", "--max-update", 4)
    heads = [name for name in run.checkpoint()["model"] if name.startswith("model.heads.")]
    assert heads and not any(".dense." in name for name in heads)
    assert "fresh: heads." in run.output
    status, out, err = command("describe", run.folder / "checkpoint_last.pt", "--json")
    assert status == 0, err
    assert all(one["linear"] and one["constrained"] for one in json.loads(out)["corpora"].values())
    resumed = losses(train(tmp_path, *options, "--head", "linear", "--max-update", 6))
    assert {update: float(kl) > 0 for update, (_, kl) in resumed.items()} == {5: True, 6: True}
    with pytest.raises(InputError, match="cannot resume: the run was with --head linear; see --init-from"):
        train_here(tmp_path, *options, "--max-update", 8)
    name = next(iter(json.loads(out)["corpora"]))
    with pytest.raises(InputError, match=r"cannot resume: the run had other heads \(now no [^:]*\); keep its corpora"):
        train_here(tmp_path, *options, "--head", "linear", "--max-update", 8, "--only-corpora", name)


def test_bad_options_are_one_line(held: Run, every_kind: Made, train_here: Callable[..., None], tmp_path: Path) -> None:
    resumed = ("--restore-file", held.folder / "checkpoint_best.pt", "--max-update", 30)
    texts = ("--corpora", every_kind.corpora, "--only-corpora", "text-de")
    for options, message in (
        ((*R3F, *resumed), "cannot resume: the run was with --r4f; see --init-from"),
        ((*R3F, "--r3f-sigma", -1), "--r3f-sigma -1.0: expected 0 or more"),
        (("--r4f", *texts), "--r4f: nothing to hold"),
        (("--head", "linear", *texts), "--head linear: nothing to leave out, heads of masked_lm have no dense map"),
    ):
        where = {"data": every_kind.data} if "--corpora" in options else {}
        with pytest.raises(InputError, match=re.escape(message)):
            train_here(tmp_path, *options, **where)
