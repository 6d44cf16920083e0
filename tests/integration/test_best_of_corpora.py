"""``--keep-best-per-corpus``, and averages by which a checkpoint can be chosen."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.integration.conftest import Run

pytestmark = pytest.mark.slow
EPOCHS = 4
CORPORA = ("nli-en", "nli-de", "nli-zh", "reviews-en", "reviews-zh", "names-en")
WEIGHTS = (
    "--average-weights", "nli-en=3,nli-zh=0", "--best-checkpoint-metric", "weighted_avg",
    "--only-corpora", ",".join(CORPORA),
)  # fmt: skip
OPTIONS = ("--seed", 3, "--max-epoch", EPOCHS, "--keep-best-per-corpus", "--lr", 3e-3, *WEIGHTS)


@pytest.fixture(scope="module")
def run(train: Callable[..., Run], tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(tmp_path_factory.mktemp("kept"), *OPTIONS)


def scores(run: Run) -> dict[str, list[float]]:
    """Of each corpus, by epoch."""
    entries = run.log("valid_avg")
    corpora = [key[6:-5] for key in entries[0] if key.endswith("_loss") and key.count("_") == 2 and "best" not in key]
    keys = {c: next(k for k in entries[0] if k.startswith(f"valid_{c}_") and not k.endswith("_loss")) for c in corpora}
    return {corpus: [float(entry[key]) for entry in entries] for corpus, key in keys.items()}


def peaks(history: dict[str, list[float]]) -> dict[str, int]:
    """The last of each corpus's best epochs, from 1."""
    return {name: len(values) - values[::-1].index(max(values)) for name, values in history.items()}


def epoch_of(run: Run, corpus: str) -> int:
    return int(run.checkpoint(f"checkpoint_best_{corpus}.pt")["extra_state"]["train_iterator"]["epoch"]) - 1


def test_each_file_is_of_the_epoch_in_which_its_corpus_peaked(
    run: Run, made: Any, command: Callable[..., Any], tmp_path: Path
) -> None:
    history = scores(run)
    expected = peaks(history)
    assert set(expected) == set(CORPORA) and len(set(expected.values())) > 1
    assert {corpus: epoch_of(run, corpus) for corpus in expected} == expected
    evaluated: dict[int, dict[str, Any]] = {}
    for corpus, epoch in expected.items():
        if epoch not in evaluated:  # one file of each epoch, by itself
            file, result = run.folder / f"checkpoint_best_{corpus}.pt", tmp_path / f"{epoch}.json"
            status, _, err = command("evaluate", file, made.data, "--json", result)
            assert status == 0, err
            evaluated[epoch] = json.loads(result.read_text())["corpora"]
        assert evaluated[epoch][corpus]["value"] == pytest.approx(max(history[corpus]), abs=1e-6)


def test_corpora_of_one_epoch_share_one_file_but_not_with_others(run: Run) -> None:
    by_epoch: dict[int, set[int]] = {}
    for corpus, epoch in peaks(scores(run)).items():
        by_epoch.setdefault(epoch, set()).add(os.stat(run.folder / f"checkpoint_best_{corpus}.pt").st_ino)
    assert all(len(files) == 1 for files in by_epoch.values())
    others = [path for path in run.folder.iterdir() if not path.name.startswith("checkpoint_best_")]
    assert {path.name for path in others} == {"checkpoint_last.pt", "checkpoint_best.pt", "log.jsonl"}
    assert all(os.stat(path).st_nlink == 1 for path in others)


def test_the_best_checkpoint_is_that_of_the_weighted_average(
    run: Run, made: Any, command: Callable[..., Any], tmp_path: Path
) -> None:
    entries = run.log("valid_weighted_avg")
    values = [float(entry["valid_weighted_avg"]) for entry in entries]
    best = len(values) - 1 - values[::-1].index(max(values))
    status, out, err = command("evaluate", run.folder / "checkpoint_best.pt", made.data, "--json", tmp_path / "r.json")
    assert status == 0, err
    results = json.loads((tmp_path / "r.json").read_text())
    for name, value in {
        "avg": results["avg"],
        "worst": results["worst"],
        "weighted_avg": results["weighted_avg"],
        **{f"avg_{language}": mean for language, mean in results["by_language"].items()},
    }.items():
        assert float(entries[best][f"valid_{name}"]) == pytest.approx(value, abs=2e-6), name
    of = {name: one["value"] for name, one in results["corpora"].items() if one["averaged"] and name != "nli-zh"}
    assert results["weighted_avg"] == pytest.approx((sum(of.values()) + 2 * of["nli-en"]) / (len(of) + 2))
    assert "weighted_avg" in out and "worst" in out


def test_a_run_that_goes_on_keeps_what_was_better(run: Run, train: Callable[..., Run], tmp_path: Path) -> None:
    train(tmp_path, *OPTIONS, "--max-epoch", 2)
    second = train(tmp_path, *OPTIONS)
    assert scores(second)["nli-en"] == scores(run)["nli-en"][2:]
    for corpus in scores(run):
        expected = run.checkpoint(f"checkpoint_best_{corpus}.pt")["model"]
        found = second.checkpoint(f"checkpoint_best_{corpus}.pt")["model"]
        assert all(torch.equal(tensor, expected[name]) for name, tensor in found.items()), corpus
    # another plan, and an epoch that spoils the model
    best = {corpus: max(values) for corpus, values in scores(run).items()}
    worse = train(tmp_path, *OPTIONS, "--reset-dataloader", "--max-epoch", 1, "--lr", 0.5)
    after = scores(worse)
    spoilt = [corpus for corpus in best if after[corpus][0] < best[corpus]]
    assert spoilt
    for corpus in spoilt:
        assert epoch_of(worse, corpus) == epoch_of(run, corpus)


def test_another_metric_is_refused_on_resume(run: Run, train: Callable[..., Run], tmp_path: Path) -> None:
    train(tmp_path, *WEIGHTS, "--max-update", 1)
    other = train(tmp_path, *WEIGHTS, "--max-update", 2, "--average-weights", "nli-en=2", good=False)
    assert other.status == 1
    assert "was chosen by weighted_avg nli-en=3 nli-zh=0, now by weighted_avg nli-en=2" in other.output.splitlines()[-1]
    train(tmp_path, *WEIGHTS, "--max-update", 2, "--best-checkpoint-metric", "worst", "--reset-meters")


def test_two_ranks_keep_one_set_of_files(train: Callable[..., Run], tmp_path: Path) -> None:
    ranks = ("--distributed-world-size", 2, "--distributed-backend", "gloo")
    two = train(tmp_path, "--max-update", 2, "--keep-best-per-corpus", *ranks)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {f"checkpoint_best_{corpus}.pt" for corpus in scores(two)} | {
        "checkpoint_best.pt",
        "checkpoint_last.pt",
        "log.jsonl",
    }
