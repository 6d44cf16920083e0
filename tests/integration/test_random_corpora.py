"""Whatever people's files hold: every row is kept or counted, and what check calls good prepare and training accept."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import PLUGIN, execute
from tests.random_corpora import Made, write_random_corpora

pytestmark = pytest.mark.slow
Command = Callable[..., tuple[int, str, str]]


def rows_of(made: Made, split: dict[str, Any]) -> int:
    """What was kept and skipped of a split, in the unit that its file has a row for."""
    kept = split["rows"] if made.unit == "row" else split["contents"][made.unit]
    return int(kept + split["skipped"])


def one(seed: int, folder: Path, model: Path, command: Command) -> str:
    """``good`` where all was accepted, ``faulty`` where check and prepare refuse it in the same words."""
    corpora = write_random_corpora(folder, seed)
    status, out, err = command("check", folder / "corpora.yaml", "--tokenizer", model, "--json")
    assert status in (0, 1), err
    report = json.loads(out)
    assert bool(status) == bool(report["faults"]), err
    for name, made in corpora.items():
        if f"corpus {name!r}: split: no row is left to train" in err:
            continue  # all rows are of one document, and no part of it is counted
        for split, counted in made.rows.items():
            if counted >= 0 and split in report["corpora"].get(name, {}):
                assert rows_of(made, report["corpora"][name][split]) == counted, (seed, name, split, err)
    data = folder / "data"
    prepared, _, refusal = command("prepare", folder / "corpora.yaml", data, "--tokenizer", model)
    assert prepared == status, (seed, err, refusal)
    if status:
        assert set(refusal.splitlines()) <= set(err.splitlines()) | {refusal.splitlines()[-1]}, seed
        assert not data.exists()
        return "faulty"
    train = [
        sys.executable, "-m", "fairseq_cli.train", data, "--user-dir", PLUGIN, "--task", "multilingual_multitask",
        "--corpora", folder / "corpora.yaml", "--arch", "skillnet_x_ffn_mha_tiny", "--criterion",
        "multitask_cross_entropy", "--optimizer", "skill_adam", "--lr", "1e-3", "--batch-size", "2",
        "--corpora-per-batch", 2 * len(corpora), "--max-update", "1", "--cpu", "--no-save", "--num-workers", "0",
        "--sampling", "uniform", "--save-dir", folder / "run",
    ]  # fmt: skip
    if not any("valid" in made.rows for made in corpora.values()):
        train.append("--disable-validation")
    status, output = execute(*train)
    assert status == 0, (seed, output[-3000:])
    return "good"


@pytest.mark.parametrize("seed", range(20))
def test_what_check_calls_good_trains(seed: int, tmp_path: Path, sentencepiece_model: Path, command: Command) -> None:
    one(seed, tmp_path, sentencepiece_model, command)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20, 420))
def test_several_hundred(seed: int, tmp_path: Path, sentencepiece_model: Path, command: Command) -> None:
    one(seed, tmp_path, sentencepiece_model, command)
