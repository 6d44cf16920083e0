"""Lines of a log that a person reads."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from skill_plugin.tasks.run_length import updates_of_run
from skill_plugin.tasks.short_lines import ShortLines


def options(max_update: int = 0, max_epoch: int = 0) -> Any:
    return SimpleNamespace(
        optimization=SimpleNamespace(max_update=max_update, max_epoch=max_epoch),
        checkpoint=SimpleNamespace(best_checkpoint_metric="avg"),
    )


def test_the_end_of_a_run_is_what_comes_first() -> None:
    known = {"update": 130, "epoch": 2, "done": 30, "length": 100}
    assert updates_of_run(options(), **known) is None
    assert updates_of_run(options(max_update=500), **known) == 500
    assert updates_of_run(options(max_epoch=4), **known) == 400
    assert updates_of_run(options(500, 4), **known) == 400


def test_one_short_line_an_interval(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    bar = ShortLines(range(100), 1, options(max_update=4000))
    corpora = {f"corpus-{i}/loss": 0.5 for i in range(25)}
    for done, _ in enumerate(bar, 1):
        if done == 50:
            bar.log({"loss": 0.41234, **corpora, "ups": 2.0, "lr": 5e-5}, tag="train_inner", step=50)
    bar.print({"loss": 0.3, **corpora}, tag="train", step=100)
    assert [record.getMessage() for record in caplog.records] == [
        "update 50 of 4,000, epoch 1: loss 0.4123, lr 5e-05, 2 updates/s, 32 min 55 s left",
        "end of epoch 1, 100 updates: loss 0.3",
    ]
    assert {record.name for record in caplog.records} == {"train_inner", "train"}


def test_a_validation_has_the_score_of_each_corpus(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    numbers = {"loss": 0.5, "avg": 0.75, "best_avg": 0.8}
    for i in range(25):
        numbers |= {f"corpus-{i}/loss": 0.5, f"corpus-{i}/macro_f1": i / 100, f"corpus-{i}/best_macro_f1": 1}
    ShortLines(range(3), 1, options()).print(numbers, tag="valid", step=1200)
    head, *scores = [record.getMessage() for record in caplog.records]
    assert head == "1,200 updates: avg 0.75, best 0.8, loss 0.5"
    assert " ".join(scores) == ", ".join(f"corpus-{i} macro_f1 {i / 100:.4g}" for i in range(25))
    assert all(len(line) <= 100 for line in scores)
