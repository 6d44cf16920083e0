"""A run whose gradients are not finite ends in one line: the update, the corpora of its batches, their losses."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from skill_plugin.tasks.update_losses import UpdateLosses
from tests.integration.conftest import Run


def test_losses_of_an_update_are_means_over_its_segments() -> None:
    losses = UpdateLosses(["a", "b", "c"])
    assert losses.line(0) == "of no corpus"
    nothing = torch.tensor([9.0, 9, 9])
    losses.add(4, {"corpus_loss": nothing, "corpus_segments": nothing})
    losses.add(5, {"corpus_loss": torch.tensor([1.0, 0, 0]), "corpus_segments": torch.tensor([1.0, 0, 0])})
    losses.add(5, {"corpus_loss": torch.tensor([2.0, 0, torch.nan]), "corpus_segments": torch.tensor([1.0, 0, 1])})
    assert losses.line(5) == "a 1.5, c nan"
    assert losses.line(4) == "a 1, b 1, c 1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "line"),
    [
        (
            ("--lr", "1e9"),
            r"update \d: gradients are not finite \(losses: [a-z]+-[a-z]{2} (nan|inf|[\d.e+]+).*\); a sm",
        ),
        (
            ("--lr", "1e9", "--distributed-world-size", "2", "--distributed-backend", "gloo"),
            r"update \d: gradients are not finite \(losses: [a-z]+-[a-z]{2} (nan|inf|[\d.e+]+).*\); a sm",
        ),
        (
            ("--fp16", "--fp16-no-flatten-grads", "--fp16-init-scale", "1073741824", "--min-loss-scale", "1e9"),
            r"update 1: gradients overflow at the smallest loss scale, 1e\+09 \(losses: .*\); a smaller --lr",
        ),
    ],
)
def test_it_is_one_line(train: Callable[..., Run], tmp_path: Path, options: tuple[str, ...], line: str) -> None:
    run = train(tmp_path / "run", "--disable-validation", "--max-update", 20, *options, good=False, arch="dense_tiny")
    assert run.status == 1
    assert "Traceback" not in run.output
    assert re.match(line, run.output.splitlines()[-1]), run.output[-2000:]
    assert not list((tmp_path / "run").glob("crash*"))
