"""Samplers that change from epoch to epoch, in whole runs: resume, what the log says, what is refused."""

from __future__ import annotations

import functools
import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.errors import InputError
from skill_plugin.sampling.training_shares import TrainingShares
from tests.integration.conftest import execute
from tests.integration.test_resume import losses, same_weights

pytestmark = pytest.mark.slow
ROWS = {"nli-en": 40, "reviews-en": 6, "nli-de": 15, "reviews-zh": 24}
EPOCH = 22  # batches of 4
ANNEALED = (
    "--sampling", "annealed", "--sampling-alpha", "1.0:0.2", "--sampling-weights", "reviews-zh=3,nli-en=0.5",
    "--sampling-cap", 30, "--batch-size", 4, "--only-corpora", ",".join(ROWS), "--save-interval-updates", 8,
    "--disable-validation",
)  # fmt: skip
UPDATES = ("--max-update", 60)  # two epochs, and some of the third


@pytest.fixture(scope="module")
def uneven(made: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data of corpora of different sizes."""
    folder = tmp_path_factory.mktemp("uneven")
    shutil.copytree(made.corpora.parent / "raw", folder / "raw")
    shutil.copy(made.corpora, folder)
    for name, rows in ROWS.items():
        (path,) = (folder / "raw").glob(f"{name}.train.*")
        path.write_text("".join(path.read_text().splitlines(keepends=True)[: rows + 1]))
    status, output = execute(
        sys.executable, "-m", "skill_plugin", "prepare", folder / made.corpora.name, folder / "data",
        "--tokenizer", made.tokenizer, "--only-corpora", ",".join(ROWS),
    )  # fmt: skip
    assert status == 0, output
    return folder / "data"


@pytest.fixture(scope="module")
def train_uneven(train: Callable[..., Any], uneven: Path) -> Callable[..., Any]:
    return functools.partial(train, data=uneven)


@pytest.fixture(scope="module")
def uninterrupted(train_uneven: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    return train_uneven(tmp_path_factory.mktemp("annealed"), *ANNEALED, *UPDATES)


def stopped_at(run: Any, checkpoint: str, folder: Path) -> Path:
    """What a run leaves that was stopped when it had saved the checkpoint."""
    folder.mkdir(exist_ok=True)
    shutil.copy(run.folder / checkpoint, folder / "checkpoint_last.pt")
    return folder


def trained_on(run: Any) -> dict[str, Any]:
    """The shares that the last checkpoint carries."""
    return dict(run.checkpoint()["extra_state"]["MultilingualMultitaskTask"]["shares"])


@pytest.mark.parametrize("checkpoint", ["checkpoint_1_16.pt", "checkpoint_2_40.pt", "checkpoint_3_56.pt"])
def test_an_annealed_run_resumes_bit_identically(
    checkpoint: str, uninterrupted: Any, train_uneven: Callable[..., Any], tmp_path: Path
) -> None:
    resumed = train_uneven(stopped_at(uninterrupted, checkpoint, tmp_path / "run"), *ANNEALED, *UPDATES)
    expected, found = losses(uninterrupted), losses(resumed)
    assert min(found) == int(checkpoint.split("_")[2][:-3]) + 1
    assert found == {update: expected[update] for update in found}
    assert same_weights(resumed, uninterrupted)
    assert trained_on(resumed) == trained_on(uninterrupted)


def test_alpha_of_each_epoch_and_the_table_of_shares(uninterrupted: Any) -> None:
    for epoch, alpha in ((1, 1.0), (2, 0.6), (3, 0.2)):
        weights = {"nli-en": 0.5 * 30**alpha, "reviews-en": 6**alpha, "nli-de": 15**alpha, "reviews-zh": 3 * 24**alpha}
        shares = ", ".join(f"{name} {weight / sum(weights.values()):.2%}" for name, weight in weights.items())
        line = f"epoch {epoch}: {EPOCH} updates, {EPOCH} draws of a corpus, alpha {alpha:g}, planned shares: {shares}"
        assert line in uninterrupted.output
    shares_ = TrainingShares.from_state(trained_on(uninterrupted))
    assert sum(one.batches for one in shares_.run().values()) == 60
    assert sum(one.batches for one in shares_.epoch().values()) == 60 - 2 * EPOCH
    lines = [line.split(" | ")[-1].split() for line in uninterrupted.output.splitlines()]
    tables = [i for i, line in enumerate(lines) if line[:1] == ["corpus"]]
    for table, updates in zip(tables, (EPOCH, EPOCH, 60 - 2 * EPOCH), strict=True):
        rows = lines[table + 1 : table + 1 + len(ROWS)]
        assert [row[0] for row in rows] == list(shares_.epoch())
        assert sum(int(row[3]) for row in rows) == updates
        assert sum(float(row[1][:-1]) for row in rows) == pytest.approx(100, abs=0.1)


def test_planned_and_actual_shares_are_logged(uninterrupted: Any) -> None:
    names = TrainingShares.from_state(trained_on(uninterrupted)).run()
    epochs = uninterrupted.log("train_nli-en_planned")
    assert len(epochs) == 3
    for entry in epochs:
        assert sum(float(entry[f"train_{name}_planned"]) for name in names) == pytest.approx(1, abs=0.01)
        assert sum(float(entry[f"train_{name}_share"]) for name in names) == pytest.approx(1, abs=0.01)


def test_evaluate_says_what_was_trained_on(
    uninterrupted: Any, uneven: Path, command: Callable[..., Any], tmp_path: Path
) -> None:
    status, out, err = command(
        "evaluate", uninterrupted.folder / "checkpoint_last.pt", uneven, "--json", tmp_path / "r.json"
    )
    assert status == 0, err
    results = json.loads((tmp_path / "r.json").read_text())["corpora"]
    shares = TrainingShares.from_state(trained_on(uninterrupted)).run()
    assert {name: results[name]["training"] for name in shares} == {name: vars(one) for name, one in shares.items()}
    assert "trained on" in out
    assert re.search(rf"reviews-zh +{100 * shares['reviews-zh'].planned_share:.2f}%", out)


def test_another_end_or_other_weights_are_refused_on_resume(
    uninterrupted: Any, train_here: Callable[..., None], uneven: Path, tmp_path: Path
) -> None:
    for options, message in (
        (("--max-update", 61), "max-update was 60, now 61"),
        (("--sampling-weights", "nli-en=1"), "sampling-weights was nli-en=0.5 reviews-zh=3, now nli-en=1"),
        (("--sampling-cap", 31), "sampling-cap was 30, now 31"),
        (("--sampling-alpha", "1.0:0.3"), "sampling was annealed 1.0 0.2, now annealed 1.0 0.3"),
    ):
        folder = stopped_at(uninterrupted, "checkpoint_2_40.pt", tmp_path / "run")
        with pytest.raises(InputError, match=re.escape(f"cannot resume: {message}")):
            train_here(folder, *ANNEALED, *UPDATES, *options, data=uneven)


def test_two_ranks_plan_as_one_with_update_freq_2(train_uneven: Callable[..., Any], tmp_path: Path) -> None:
    options = (*ANNEALED, "--max-update", 20, "--corpora-per-batch", 2)
    two = ("--distributed-world-size", 2, "--distributed-backend", "gloo", "--ddp-backend", "legacy_ddp")
    one = train_uneven(tmp_path / "one", *options, "--update-freq", 2)
    other = train_uneven(tmp_path / "two", *options, *two)
    assert trained_on(one) == trained_on(other)
    for run in (one, other):
        alphas = re.findall(r"epoch \d: 6 updates, 22 draws of a corpus, alpha ([\d.]+)", run.output)
        assert alphas == ["1", "0.7333", "0.4667", "0.2"]


def test_uncertainty_sampling_plans_by_candidates(train_uneven: Callable[..., Any], tmp_path: Path) -> None:
    options = ("--sampling", "uncertainty", "--max-update", 5, "--disable-validation", "--only-corpora", ",".join(ROWS))
    run = train_uneven(tmp_path, *options, "--batch-size", 4)
    state = trained_on(run)
    logged = run.log("nli-en_chosen")
    chosen = [sum(int(entry[f"{name}_chosen"]) for entry in logged) for name in state["names"]]
    assert state["by_examples"]
    assert state["counts"][1][2] == chosen
    assert sum(chosen) == 20
    assert f"{EPOCH} batches of candidates of each corpus" in run.output
