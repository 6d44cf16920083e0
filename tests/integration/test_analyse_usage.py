"""``analyse usage`` of models that were trained in whole runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("arch", "options", "layers"),
    [("mt_tag_tiny", ("--expert-layers", "1"), [1]), ("mt_switch_tiny", (), [0, 1]), ("moe_top2_tiny", (), [0, 1])],
)
def test_trained_models(
    arch: str, options: tuple[str, ...], layers: list[int], train: Callable[..., Any], made: Any,
    command: Callable[..., Any], tmp_path: Path,
) -> None:  # fmt: skip
    run = train(tmp_path / "run", *options, "--max-update", 3, arch=arch)
    files = ("--json", tmp_path / "usage.json", "--plot", tmp_path / "usage.svg")
    status, out, err = command("analyse", "usage", run.folder / "checkpoint_last.pt", made.data, *files)
    assert status == 0, err
    found = json.loads((tmp_path / "usage.json").read_text())
    assert found["layers"] == layers
    assert len(found["corpora"]) > 5 and len(found["languages"]) > 1
    for one in (*found["corpora"].values(), *found["languages"].values(), found["all"]):
        np.testing.assert_allclose(np.sum(one["shares"], -1), 1)
        assert np.sum(one["counts"], -1).tolist() == [one["tokens"] * found["experts_per_token"]] * len(layers)
    np.testing.assert_allclose(np.diagonal(found["overlap"]["mean"]), 1)
    assert all(name in out for name in found["corpora"])
    assert "<svg" in (tmp_path / "usage.svg").read_text()
