"""Whole runs with batches of several corpora and with uncertainty sampling."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin.errors import InputError
from tests.integration.conftest import Made, Run

pytestmark = pytest.mark.slow

UNCERTAINTY = ("--sampling", "uncertainty")
SUPER = ("--corpora-per-batch", 3)
STEADY = ("--optimizer", "sgd", "--lr", 0.2, "--dropout", 0, "--attention-dropout", 0, "--head-dropout", 0)
TWO = ("--distributed-world-size", 2, "--distributed-backend", "gloo")
FEW = "nli-en,reviews-de,names-zh,similarity-en"  # 20 batches an epoch


def logged(run: Run, *left_out: str) -> dict[int, dict[str, str]]:
    """What does not depend on time of each update's log."""
    timed = ("wps", "ups", "wall", "train_wall", "gb_free", *left_out)
    return {
        int(entry["num_updates"]): {key: value for key, value in entry.items() if key not in timed}
        for entry in run.log("num_updates")
        if "ups" in entry
    }


def assert_same_state(one: Run, other: Run) -> None:
    """Weights and the optimizer's state, bit by bit."""
    for key in ("model", "last_optimizer_state"):
        torch.testing.assert_close(one.checkpoint()[key], other.checkpoint()[key], atol=0, rtol=0)


@pytest.mark.parametrize(
    ("arch", "options"),
    [
        ("ca_mtl_tiny", (*UNCERTAINTY, "--max-tokens", 400, "--conditional-length", 16)),
        ("skillnet_x_ffn_mha_tiny", (*SUPER, "--loss-average", "example", "--num-workers", 2)),
    ],
)
def test_a_stop_in_the_middle_of_an_epoch(
    arch: str, options: tuple[Any, ...], train: Callable[..., Run], tmp_path: Path
) -> None:
    """Losses, weights, what was chosen and the share of data used are those of a run that was never stopped."""
    options = (*options, "--update-freq", 2, "--save-interval-updates", 100, "--only-corpora", FEW)
    whole = train(tmp_path / "whole", *options, "--max-update", 18, arch=arch)
    train(tmp_path / "run", *options, "--max-update", 14, arch=arch)
    again = train(tmp_path / "run", *options, "--max-update", 18, arch=arch)
    expected = logged(whole)
    assert expected[14]["epoch"] == expected[15]["epoch"] > 1
    assert min(logged(again)) == 15
    assert {update: expected[update] for update in logged(again)} == logged(again)
    assert_same_state(again, whole)


@pytest.mark.parametrize(
    ("arch", "sampling", "backend"),
    [
        pytest.param("ca_mtl_tiny", (*UNCERTAINTY, "--conditional-length", 16), "pytorch_ddp", marks=pytest.mark.long),
        (
            "skillnet_x_ffn_mha_tiny",
            (*UNCERTAINTY, "--max-tokens", 300, "--loss-average", "example"),
            "legacy_ddp",
        ),
        ("skillnet_x_ffn_mha_tiny", (*SUPER, "--loss-average", "example"), "pytorch_ddp"),
    ],
)
def test_two_ranks_are_one_with_update_freq_2(
    arch: str, sampling: tuple[Any, ...], backend: str, train: Callable[..., Run], tmp_path: Path
) -> None:
    """Each rank chooses from candidates of its own: together they are what one process has in two micro-batches."""
    one = train(tmp_path / "one", *STEADY, *sampling, "--update-freq", 2, "--max-update", 6, arch=arch)
    two = train(tmp_path / "two", *STEADY, *sampling, *TWO, "--ddp-backend", backend, "--max-update", 6, arch=arch)
    mine, theirs = logged(two), logged(one)
    assert mine.keys() == theirs.keys()
    for update, entry in theirs.items():
        for key, value in entry.items():
            if key.endswith(("_candidates", "_chosen", "data_used")):
                assert mine[update][key] == value, key
            elif key == "loss" or key.endswith("_entropy"):
                assert float(mine[update][key]) == pytest.approx(float(value), abs=2e-4), key
    expected = one.checkpoint()["model"]
    for name, tensor in two.checkpoint()["model"].items():
        torch.testing.assert_close(tensor, expected[name], atol=1e-5, rtol=1e-4, msg=name)


@pytest.mark.parametrize(
    "mode",
    [
        ("--autocast", "bf16"),
        pytest.param(("--fp16", "--fp16-no-flatten-grads", "--fp16-init-scale", 4), marks=pytest.mark.long),
        pytest.param(("--memory-efficient-fp16", "--fp16-init-scale", 4), marks=pytest.mark.long),
    ],
)
def test_modes(mode: tuple[Any, ...], train: Callable[..., Run], tmp_path: Path) -> None:
    run = train(tmp_path, *UNCERTAINTY, *mode, "--max-update", 4, arch="mt_tag_tiny")
    assert len(logged(run)) == 4
    for entry in logged(run).values():
        assert sum(int(value) for key, value in entry.items() if key.endswith("_chosen")) == 8


def test_every_kind(train: Callable[..., Run], every_kind: Made, tmp_path: Path) -> None:
    corpora = ("--corpora", every_kind.corpora)
    run = train(tmp_path / "run", *corpora, *UNCERTAINTY, "--max-update", 20, data=every_kind.data)
    last = run.log("train_data_used")[-1]
    chosen = {key: int(value) for key, value in last.items() if key.endswith("_chosen")}
    assert sum(number > 0 for number in chosen.values()) >= 5
    assert 0 < float(last["train_data_used"]) < 1
    for key, number in chosen.items():
        corpus = key.removesuffix("_chosen")
        assert number <= int(last[f"{corpus}_candidates"])
        assert float(last[f"{corpus}_entropy"]) > 0
        assert (f"{corpus}_loss" in last) == (number > 0)  # the losses of what was trained on
    together = ("--corpora-per-batch", 8, "--sampling", "uniform", "--loss-average", "example")
    run = train(tmp_path / "super", *corpora, *together, "--max-update", 4, data=every_kind.data)
    assert len(logged(run)) == 4


def test_other_batches_are_refused_on_resume(train: Callable[..., Run], tmp_path: Path) -> None:
    train(tmp_path, *SUPER, "--max-update", 3)
    run = train(tmp_path, "--corpora-per-batch", 2, "--max-update", 5, good=False)
    assert run.status == 1
    assert run.output.splitlines()[-1].startswith("cannot resume: corpora-per-batch was 3, now 2; ")


def test_options_that_do_not_fit(train_here: Callable[..., None], tmp_path: Path) -> None:
    cases: list[tuple[tuple[object, ...], str]] = [
        (("--corpora-per-batch", 0), "--corpora-per-batch 0: expected 1 to 4096"),
        ((*UNCERTAINTY, "--mlm-batch-share", 0.1), "--mlm-batch-share 0.1: --sampling uncertainty chooses by"),
        ((*UNCERTAINTY, *SUPER), "--corpora-per-batch 3: --sampling uncertainty chooses every batch from all corpora"),
    ]
    for options, message in cases:
        with pytest.raises(InputError, match=re.escape(message)):
            train_here(tmp_path, *options)
