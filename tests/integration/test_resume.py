"""A run that is stopped anywhere and started again goes on to bit-identical losses and weights (CPU, float32)."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin.errors import InputError
from tests import warm_process
from tests.integration.conftest import ENVIRONMENT

pytestmark = pytest.mark.slow
UPDATES = 90  # two epochs of 40 batches each, and some of the third
OPTIONS = ("--max-update", UPDATES, "--save-interval-updates", 10, "--keep-interval-updates", 1)


def losses(run: Any) -> dict[int, str]:
    """The loss of each update, as logged."""
    return {
        int(entry["num_updates"]): entry["loss"]
        for entry in run.log("num_updates")
        if "loss" in entry and "ups" in entry
    }


@pytest.fixture(scope="module")
def uninterrupted(train: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    return train(tmp_path_factory.mktemp("uninterrupted"), *OPTIONS)


def same_weights(one: Any, other: Any) -> bool:
    first, second = one.checkpoint()["model"], other.checkpoint()["model"]
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def test_a_stop_in_the_middle_of_an_epoch(uninterrupted: Any, train: Callable[..., Any], tmp_path: Path) -> None:
    first = train(tmp_path, *OPTIONS, "--max-update", 57)
    second = train(tmp_path, *OPTIONS, fresh=True)  # strings hash otherwise than in forks
    assert min(losses(second)) == 58
    assert losses(first) | losses(second) == losses(uninterrupted)
    assert same_weights(second, uninterrupted)


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_stopped_at_random_moments(
    how: signal.Signals,
    uninterrupted: Any,
    arguments: Callable[..., list[str]],
    train: Callable[..., Any],
    tmp_path: Path,
) -> None:
    options = (*OPTIONS, "--save-interval-updates", 4, "--disable-validation")  # which changes nothing that is compared
    rng = random.Random(int(how))
    for _ in range(3):
        process = warm_process.Popen(
            arguments(tmp_path, *options), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT, text=True
        )
        assert process.stdout is not None
        updates = (line for line in process.stdout if '"ups"' in line)
        for _ in range(rng.randrange(1, 17)):
            next(updates)
        # a checkpoint is written every 4 updates of some 20 to 50 ms, so that many of these moments lie inside one
        time.sleep(rng.uniform(0, 0.1))
        process.send_signal(how)
        process.communicate(timeout=60)
        assert process.returncode != 0
    last = train(tmp_path, *options)
    expected = losses(uninterrupted)
    assert {update: expected[update] for update in losses(last)} == losses(last)
    assert same_weights(last, uninterrupted)


def test_workers_change_nothing(uninterrupted: Any, train: Callable[..., Any], tmp_path: Path) -> None:
    run = train(tmp_path, *OPTIONS, "--num-workers", 2, "--save-interval-updates", 30)
    assert losses(run) == losses(uninterrupted)


def test_other_labels_or_ranks_are_refused_on_resume(made: Any, train: Callable[..., Any], tmp_path: Path) -> None:
    train(tmp_path, "--max-update", 3)
    changed = made.corpora.with_name("changed.yaml")
    changed.write_text(made.corpora.read_text().replace("[negative, positive]", "[positive, negative]"))
    run = train(tmp_path, "--max-update", 5, "--corpora", changed, good=False)
    assert run.status == 1
    assert "the labels of 'reviews-en' were negative, positive, now positive, negative" in run.output.splitlines()[-1]
    run = train(tmp_path, "--max-update", 5, "--update-freq", 2, good=False)
    assert run.status == 1
    assert "update-freq" in run.output.splitlines()[-1]
    run = train(tmp_path, "--max-update", 5, "--only-corpora", "reviews-en", arch="mt5_tiny", good=False)
    assert run.status == 1
    assert "cannot resume: --arch was skillnet_x_ffn_mha_tiny, now mt5_tiny; keep it" in run.output.splitlines()[-1]


def test_another_model_with_the_same_weights_is_refused_on_resume(train: Callable[..., Any], tmp_path: Path) -> None:
    options = ("--experts", 3, "--expert-scale", "probability")
    train(tmp_path, "--max-update", 1, *options, arch="moe_top2_tiny")
    for arch, changed, message in (
        ("moe_top2_tiny", ("--experts-per-token", 1), "--experts-per-token was not given, now 1"),
        ("moe_top2_tiny", ("--expert-scale", "paper"), "--expert-scale was probability, now not given"),
        ("mt_switch_tiny", (), "--arch was moe_top2, now mt_switch"),
    ):
        run = train(tmp_path, "--max-update", 2, *options, *changed, arch=arch, good=False)
        assert run.status == 1
        assert f"cannot resume: {message}; keep it" in run.output.splitlines()[-1]
    train(tmp_path, "--max-update", 2, *options, arch="moe_top2_tiny")


def test_a_stop_behind_the_end_of_another_plan_is_refused(train: Callable[..., Any], tmp_path: Path) -> None:
    train(tmp_path, "--max-update", 30)  # of the 40 in the epoch
    run = train(tmp_path, "--max-update", 35, "--batch-size", 64, good=False)
    assert run.status == 1
    assert "the plan of the epoch is shorter than where the run stopped" in run.output.splitlines()[-1]


def test_the_command_of_a_finished_run_trains_no_further(train: Callable[..., Any], tmp_path: Path) -> None:
    first = train(tmp_path, "--max-update", 3).checkpoint()
    again = train(tmp_path, "--max-update", 3)
    assert "nothing is left to train: 3 updates are made; --max-update 3" in again.output
    assert again.checkpoint()["optimizer_history"][-1]["num_updates"] == 3
    assert all(torch.equal(again.checkpoint()["model"][name], weights) for name, weights in first["model"].items())


def test_patience_counts_over_a_stop(train: Callable[..., Any], tmp_path: Path) -> None:
    options = ("--patience", 3, "--validate-interval-updates", 2, "--save-interval-updates", 2, "--lr", 1e-12)
    train(tmp_path, *options, "--max-update", 4)  # the first validation is the best one, that after 4 no better
    train(tmp_path, *options, "--max-update", 30)  # nor those after 6 and 8
    again = train(tmp_path, *options, "--max-update", 30)
    assert "nothing is left to train: 8 updates are made; --patience 3" in again.output


def test_another_schedule_is_refused_whether_or_not_its_state_fits(train: Callable[..., Any], tmp_path: Path) -> None:
    train(tmp_path, "--max-update", 1, "--disable-validation")
    other = ("--max-update", 2, "--disable-validation", "--lr-scheduler", "polynomial_decay", "--total-num-update", 2)
    run = train(tmp_path, *other, good=False)
    assert run.output.splitlines()[-1].endswith(
        "cannot resume: --lr-scheduler was fixed, now polynomial_decay; keep it, or give --reset-lr-scheduler"
    )
    train(tmp_path, *other, "--reset-lr-scheduler")
    run = train(tmp_path, "--max-update", 3, "--disable-validation", good=False)
    assert run.output.splitlines()[-1].endswith(
        "cannot resume: --lr-scheduler was polynomial_decay, now fixed; keep it, or give --reset-lr-scheduler"
    )


def test_without_a_last_checkpoint_a_run_begins_anew(train: Callable[..., Any], tmp_path: Path) -> None:
    options = ("--only-corpora", "nli-en", "--no-last-checkpoints", "--no-save-optimizer-state", "--max-epoch", 3)
    whole = train(tmp_path / "whole", *options)
    train(tmp_path / "stopped", *options, "--max-update", 7)
    again = train(tmp_path / "stopped", *options)
    assert losses(again) == losses(whole)
    assert [path.name for path in again.folder.glob("checkpoint*")] == ["checkpoint_best.pt"]
    found, expected = (run.checkpoint("checkpoint_best.pt") for run in (again, whole))
    assert "last_optimizer_state" not in found
    assert found["optimizer_history"] == expected["optimizer_history"]
    assert all(torch.equal(found["model"][name], weights) for name, weights in expected["model"].items())


def test_a_checkpoint_without_an_optimizer_is_no_place_to_go_on_from(train: Callable[..., Any], tmp_path: Path) -> None:
    options = ("--disable-validation", "--no-save-optimizer-state")
    train(tmp_path, *options, "--max-update", 2)
    run = train(tmp_path, *options, "--max-update", 3, good=False)
    assert run.status == 1
    assert run.output.splitlines()[-1].endswith(
        "cannot resume: holds no state of an optimizer; start a new run with --init-from, or give --reset-optimizer"
    )
    train(tmp_path, *options, "--max-update", 3, "--reset-optimizer")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("extra_state", "metrics", "default", 0), "junk"),  # seen by the check of what a run keeps
        (("extra_state", "metrics", "train_inner", 0), (10, "lr", "AverageMeter", {})),  # by fairseq's meters
        (("last_optimizer_state", "state", 0, "exp_avg"), torch.ones(2, 3)),  # by the optimizer
    ],
)
def test_a_checkpoint_that_was_edited_is_named(
    path: tuple[Any, ...], value: Any, trained: Any, train_here: Callable[..., None], tmp_path: Path
) -> None:
    content = inner = torch.load(trained.folder / "checkpoint_last.pt", weights_only=True)
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    content["extra_state"]["train_iterator"]["iterations_in_epoch"] = 1  # whose meters count
    torch.save(content, tmp_path / "edited.pt")
    with pytest.raises(InputError) as caught:
        train_here(tmp_path / "run", "--restore-file", tmp_path / "edited.pt", "--max-epoch", 3)
    assert str(caught.value).startswith(f"{tmp_path / 'edited.pt'}: damaged: ")
    assert "\n" not in str(caught.value)
