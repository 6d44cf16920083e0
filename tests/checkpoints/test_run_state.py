"""What a checkpoint keeps of its run: whatever of it was changed by hand is named, wherever it is read."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from skill_plugin.checkpoints.run_state import TASK, check_run_state
from skill_plugin.errors import InputError

SHARES = {"names": ["a", "b"], "sizes": [3, 0], "by_examples": False, "epoch": 1, "counts": [[[0.0, 1.0]] * 3] * 2}


def content() -> dict[str, Any]:
    """The parts of a checkpoint in the smallest form."""
    meters = [
        (10, "loss", "AverageMeter", {"val": torch.tensor(0.5), "sum": torch.tensor(0.5), "count": 1, "round": 5}),
        (10, "_corpus_loss", "SumMeter", {"sum": torch.zeros(2), "round": None}),
        (90, "wps", "TimeMeter", {"init": 0.3, "n": 0, "round": 1}),
    ]
    task = {
        "labels": {"a": ["yes", "no"], "b": []},
        "batch-size": 4,
        "data": {"a": {"train": [3, "e50c"]}},
        "early-stopping": {"best": None, "since": 0},
        "shares": dict(SHARES),
    }
    position = {"epoch": 1, "iterations_in_epoch": 1, "start": {"epoch": 1, "updates": 0, "examples": {"a": 0}}}
    return {
        "cfg": {"task": {"_name": "multilingual_multitask"}},
        "optimizer_history": [
            {"criterion_name": "C", "optimizer_name": "O", "num_updates": 1, "lr_scheduler_state": {"lr": 1e-3}}
        ],
        "last_optimizer_state": {
            "param_groups": [{"lr": 1e-3, "betas": (0.9, 0.999)}],
            "state": {0: {"step": torch.tensor(1.0)}},
        },
        "extra_state": {"metrics": {"train": meters}, "train_iterator": position, "best": 0.5, TASK: task},
    }


def changed(path: str, value: Any) -> dict[str, Any]:
    """The content with another value at a place; without it where the value is ``...``."""
    found: Any = content()
    *way, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    inner = found
    for part in way:
        if isinstance(inner[part], tuple):
            inner[part] = list(inner[part])
        inner = inner[part]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return found


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("cfg", 7, "cfg: "),
        ("cfg", [1], "cfg: "),
        ("optimizer_history", "junk", "optimizer_history: "),
        ("optimizer_history/0/num_updates", ..., "lacks 'optimizer_history.0.num_updates'"),
        ("optimizer_history/0/num_updates", torch.ones(2), "optimizer_history.0.num_updates: "),
        ("optimizer_history/0/lr_scheduler_state/lr", "junk", "lr_scheduler_state.lr: expected a number"),
        ("last_optimizer_state/state", [1], "last_optimizer_state.state: "),
        ("last_optimizer_state/param_groups/0/betas", True, "last_optimizer_state.param_groups.0.betas: "),
        ("last_optimizer_state/param_groups/0/betas", (0.9, -1.0), "last_optimizer_state.param_groups.0.betas.1: "),
        ("extra_state", "junk", "extra_state: "),
        ("extra_state/best", torch.ones(2, 3), "extra_state.best: expected a number"),
        ("extra_state/best", True, "extra_state.best: expected a number"),
        ("extra_state/metrics/train/0", "junk", "extra_state.metrics.train.0: "),
        ("extra_state/metrics/train/0/2", "junk", "extra_state.metrics.train.0.2: "),
        ("extra_state/metrics/train/0/3/sum", "junk", "extra_state.metrics.train.0: expected a number"),
        ("extra_state/metrics/train/0/3/sum", torch.ones(2), "extra_state.metrics.train.0: expected a number"),
        ("extra_state/metrics/train/1/3/sum", torch.ones(2, 3), "extra_state.metrics.train.1: expected a number"),
        ("extra_state/train_iterator/epoch", ..., "lacks 'extra_state.train_iterator.epoch'"),
        ("extra_state/train_iterator/start/examples", {"a": {}}, "extra_state.train_iterator.start.examples.a: "),
        (f"extra_state/{TASK}", [], f"extra_state.{TASK}: "),
        (f"extra_state/{TASK}/labels/a", None, f"extra_state.{TASK}.labels.a: "),
        (f"extra_state/{TASK}/batch-size", torch.ones(2), f"extra_state.{TASK}: expected no tensor"),
        (f"extra_state/{TASK}/data/a/train", None, f"extra_state.{TASK}.data.a.train: "),
        (f"extra_state/{TASK}/early-stopping/since", "junk", f"extra_state.{TASK}.early-stopping.since: "),
        (f"extra_state/{TASK}/shares/counts", [[[float("nan")] * 2] * 3] * 2, f"{TASK}.shares.counts.0.0.0: "),
        (f"extra_state/{TASK}/shares/names", ["a"], f"{TASK}.shares: what was trained on is not told of each corpus"),
        (f"extra_state/{TASK}/origin", {"file": 1}, f"extra_state.{TASK}.origin"),
    ],
)
def test_what_is_no_such_part_is_named(path: str, value: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        check_run_state(changed(path, value), "run.pt")
    assert str(caught.value).startswith("run.pt: damaged: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_whole_or_not_there_is_none() -> None:
    check_run_state(content(), "run.pt")
    for part in content():
        check_run_state(changed(part, ...), "run.pt")
    check_run_state({}, "run.pt")
    check_run_state({"extra_state": {TASK: {"shares": SHARES}}}, "run.pt")  # a mean of checkpoints
