"""Learning rates by depth in a run: Adam's first step is the learning rate itself, wherever there is a gradient."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.errors import InputError

pytestmark = pytest.mark.slow
RATE = 1e-3
OPTIONS = ("--layer-lr-decay", 0.5, "--head-lr-factor", 4)


def test_each_depth_has_its_own(train: Callable[..., Any], trained: Any, tmp_path: Path) -> None:
    start = ("--init-from", trained.folder / "checkpoint_last.pt", "--lr", RATE, "--adam-eps", 1e-12)
    run = train(tmp_path, *OPTIONS, *start, "--max-update", 1, "--disable-validation")
    before, after = trained.checkpoint()["model"], run.checkpoint()["model"]
    steps: dict[str, float] = {}
    for name, tensor in after.items():
        place = ".".join(name.split(".")[1:4] if ".layers." in name else name.split(".")[1:2])
        step = float((tensor - before[name]).abs().max())
        place = "embeddings" if ".embeddings." in name else place
        steps[place] = max(steps.get(place, 0.0), step)
    expected = {"embeddings": 0.25, "encoder.layers.0": 0.5, "encoder.layers.1": 1.0, "heads": 4.0}
    assert steps == {place: pytest.approx(factor * RATE, rel=1e-2) for place, factor in expected.items()}
    logged = [entry["lr"] for entry in run.log("lr")]
    assert {float(rate) for rate in logged} == {RATE}


def test_other_optimizers_are_refused(train_here: Callable[..., None], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--layer-lr-decay 0.5: goes with --optimizer skill_adam; adam has one rate"):
        train_here(tmp_path, *OPTIONS, "--optimizer", "adam", "--max-update", 1)
