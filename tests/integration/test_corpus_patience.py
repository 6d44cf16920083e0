"""``--corpus-patience`` in whole runs: what is frozen out and when, resume, the end, several ranks."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.errors import InputError
from tests.integration.test_resume import losses, same_weights

pytestmark = pytest.mark.slow
NAMES = "nli-en,reviews-en,nli-de,reviews-zh"
PATIENT = (
    "--corpus-patience", 5, "--only-corpora", NAMES, "--batch-size", 16, "--max-update", 400, "--lr", 3e-3,
    "--save-interval-updates", 8,  # epochs have 12 updates, and fewer where something is frozen out
)  # fmt: skip
AT_ONCE = ("--corpus-patience", 1, "--save-interval-updates", 0)
TWO = ("--distributed-world-size", 2, "--distributed-backend", "gloo", "--ddp-backend", "legacy_ddp")
PEAK = re.compile(r"(\S+) has peaked: accuracy ([\d.]+) after (\d+) updates, .* frozen out from epoch (\d+) on")


@pytest.fixture(scope="module")
def uninterrupted(train: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    return train(tmp_path_factory.mktemp("patient"), *PATIENT)


def patience(run: Any) -> dict[str, Any]:
    return dict(run.checkpoint()["extra_state"]["train_iterator"]["patience"])


def peaks(run: Any) -> dict[str, tuple[float, int, int]]:
    """Best score, its update, and the first epoch without it, as the log says."""
    found = PEAK.findall(run.output)
    return {name: (float(score), int(update), int(epoch)) for name, score, update, epoch in found}


def test_each_corpus_leaves_when_it_has_peaked(uninterrupted: Any) -> None:
    """Against a count over the scores and shares in the log."""
    found = peaks(uninterrupted)
    assert set(found) == set(NAMES.split(","))
    assert len({epoch for _, _, epoch in found.values()}) > 1, "all corpora peaked at once: this shows too little"
    validations = uninterrupted.log("valid_avg")
    for name, (score, update, first) in found.items():
        best, since = (0.0, -1), 0
        for entry in validations:
            now = float(entry[f"valid_{name}_accuracy"]), int(entry["valid_num_updates"])
            best, since = (now, 0) if best[1] < 0 or now[0] > best[0] else (best, since + 1)
            if since == 5:
                assert first == int(entry["epoch"]) + 1
                break
        assert (score, update) == (pytest.approx(best[0], abs=1e-4), best[1])
        for entry in uninterrupted.log(f"train_{name}_share"):
            assert (float(entry[f"train_{name}_planned"]) > 0) == (int(entry["epoch"]) < first)
            assert float(entry[f"train_{name}_share"]) == 0 or int(entry["epoch"]) < first


def test_the_run_ends_when_all_have_peaked(uninterrupted: Any, train: Callable[..., Any]) -> None:
    assert "every corpus has peaked, so the run ends" in uninterrupted.output
    last = uninterrupted.log("valid_avg")[-1]
    done = uninterrupted.checkpoint()["optimizer_history"][-1]["num_updates"]
    assert done == int(last["valid_num_updates"]) < 400
    again = train(uninterrupted.folder, *PATIENT)
    assert "the corpora have peaked: nothing is left to train on" in again.output
    assert not losses(again)
    assert "done training" in again.output


def test_it_resumes_bit_identically(uninterrupted: Any, train: Callable[..., Any], tmp_path: Path) -> None:
    """Before anything is frozen out, after some is, and in the middle of the last epoch."""
    first = min(epoch for _, _, epoch in peaks(uninterrupted).values())
    saved = {
        (int(path.stem.split("_")[1]), int(path.stem.split("_")[2])): path
        for path in uninterrupted.folder.glob("checkpoint_*_*.pt")
    }
    before = [key for key in saved if key[0] < first]
    after = [key for key in saved if key[0] >= first]
    assert before and after
    for number, key in enumerate((before[0], min(after), max(after))):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copy(saved[key], folder / "checkpoint_last.pt")
        run = train(folder, *PATIENT)
        expected, found = losses(uninterrupted), losses(run)
        assert found == {update: loss for update, loss in expected.items() if update > key[1]}
        assert same_weights(run, uninterrupted)
        assert patience(run) == patience(uninterrupted)


def test_two_ranks_decide_alike(train: Callable[..., Any], tmp_path: Path) -> None:
    """Without learning nothing becomes better, so that the second validation ends the run, on every rank."""
    options = (*PATIENT, *AT_ONCE, "--lr", 0)
    one = train(tmp_path / "one", *options, "--update-freq", 2)
    two = train(tmp_path / "two", *options, *TWO)
    assert patience(one) == patience(two)
    assert set(patience(two)["frozen_out"]) == set(NAMES.split(","))
    for run in (one, two):
        assert run.checkpoint()["optimizer_history"][-1]["num_updates"] == 12  # two epochs
        assert "every corpus has peaked, so the run ends" in run.output


def test_two_ranks_go_on_with_what_is_left(train: Callable[..., Any], tmp_path: Path) -> None:
    run = train(tmp_path, *PATIENT, *TWO, *AT_ONCE)
    assert len({epoch for _, _, epoch in peaks(run).values()}) > 1
    assert "every corpus has peaked, so the run ends" in run.output


def test_candidates_leave_too(train: Callable[..., Any], tmp_path: Path) -> None:
    run = train(tmp_path, *PATIENT, *AT_ONCE, "--sampling", "uncertainty")
    found = peaks(run)
    assert set(found) == set(NAMES.split(","))
    for name, (_, _, first) in found.items():
        for entry in run.log(f"train_{name}_candidates"):
            assert (int(entry[f"train_{name}_candidates"]) > 0) == (int(entry["epoch"]) < first)


def test_what_does_not_fit_is_refused(
    uninterrupted: Any, train_here: Callable[..., None], made: Any, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="--corpus-patience 5 needs validation; leave out --disable-validation"):
        train_here(tmp_path / "a", *PATIENT, "--disable-validation")
    with pytest.raises(InputError, match="--corpus-patience 0: expected 1 or more"):
        train_here(tmp_path / "b", *PATIENT, "--corpus-patience", 0)
    shutil.copy(uninterrupted.folder / "checkpoint_1_8.pt", tmp_path / "checkpoint_last.pt")
    with pytest.raises(InputError, match="cannot resume: corpus-patience was 5, now 3"):
        train_here(tmp_path, *PATIENT, "--corpus-patience", 3)


def test_a_corpus_without_a_valid_split_stays(made: Any, train: Callable[..., Any], tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(made.data, data)
    for path in (*(data / "nli-de").rglob("valid*"), data / "nli-de" / "manifest.json"):
        path.unlink()
    options = (*PATIENT, *AT_ONCE, "--lr", 0, "--max-update", 40)
    run = train(tmp_path / "run", *options, data=data)
    assert "without a valid split, never frozen out: nli-de" in run.output
    assert set(patience(run)["frozen_out"]) == {"nli-en", "reviews-en", "reviews-zh"}
    assert "still trained on: nli-de" in run.output
    assert run.checkpoint()["optimizer_history"][-1]["num_updates"] == 40
