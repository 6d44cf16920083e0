"""``skill-plugin sweep``: a sweep of two stages, stopped and gone on with, and what keeps one from beginning."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
import torch

from skill_plugin.report.run_log import read_run_log
from tests import warm_process
from tests.integration.conftest import ENVIRONMENT, Made

CORPORA = ("nli-en", "reviews-en")


def write(folder: Path, made: Made, change: tuple[str, str] = ("", "")) -> Path:
    text = f"""
corpora: {made.corpora}
data: {made.data}
options:
  arch: dense_tiny
  only-corpora: [{", ".join(CORPORA)}]
  batch-size: 8
  num-workers: 0
  cpu: true
seeds: [1, 2]
table: {{rows: []}}
stages:
  joint:
    options: {{max-update: 4, lr-scheduler: polynomial_decay, warmup-updates: 50%}}
    grid: {{lr: [1e-4, 1e-2]}}
    checkpoint: last
  finetune:
    init_from: {{stage: joint}}
    each: [nli-en]
    options: {{lr: 1e-3, max-update: 2, no-last-checkpoints: true}}
discard_checkpoints: [finetune]
"""
    path = folder / "two.yaml"
    path.write_text(text.replace(*change) if change[0] else text, encoding="utf-8")
    return path


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "skill_plugin", "sweep", *map(str, arguments)]


def call(*arguments: object) -> tuple[int, str, str]:
    done = warm_process.run(command(*arguments), capture_output=True, text=True, env=ENVIRONMENT, timeout=300)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def finished(made: Made, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[Path, int], str]:
    """A sweep that was stopped once a run was done, what it had done by then, and what the second start printed."""
    folder = tmp_path_factory.mktemp("sweep")
    file = write(folder, made)
    process = warm_process.Popen(command(file, "--jobs", 2), text=True, env=ENVIRONMENT)
    until = time.monotonic() + 120
    while not list(folder.glob("two/*/*/joint/results.json")) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    done = {path: path.stat().st_mtime_ns for path in folder.rglob("results.json")}
    assert 0 < len(done) < 8
    status, out, err = call(file, "--jobs", 2)
    assert status == 0, out + err
    return folder / "two", done, out


@pytest.mark.slow
def test_it_goes_on_after_a_stop(finished: tuple[Path, dict[Path, int], str]) -> None:
    folder, done, out = finished
    assert f"done already: {len(done)} of 8 runs" in out
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert len(list(folder.rglob("results.json"))) == 8


@pytest.mark.slow
def test_the_table_is_that_of_the_results(finished: tuple[Path, dict[Path, int], str]) -> None:
    """Of each stage the learning rate with the best mean of avg over seeds, and its means and deviations."""
    folder, _, _ = finished
    table = json.loads((folder / "table.json").read_text())
    for stage, within, corpora in (("joint", "", CORPORA), ("finetune", "nli-en", CORPORA[:1])):
        found: dict[str, list[dict[str, Any]]] = {}
        for lr in ("1e-4", "1e-2"):
            for seed in (1, 2):
                file = folder / f"lr={lr}" / f"seed{seed}" / stage / within / "results.json"
                found.setdefault(lr, []).append(json.loads(file.read_text()))
        best = max(found, key=lambda lr: fmean(one["avg"] for one in found[lr]))
        assert table["chosen"][stage] == f"lr {best}"
        for corpus in corpora:
            values = [one["corpora"][corpus]["value"] for one in found[best]]
            row = table["rows"][stage]["corpora"][corpus]
            assert row == {"mean": fmean(values), "deviation": stdev(values), "values": values}
    assert (folder / "table.md").read_text().count("\n| ") == 4  # two of the header
    assert (folder / "plot.png").exists()


@pytest.mark.slow
def test_a_stage_starts_where_the_other_ended(finished: tuple[Path, dict[Path, int], str]) -> None:
    folder, _, _ = finished
    log = (folder / "lr=1e-2/seed2/finetune/nli-en/train.log").read_text()
    start = folder / "lr=1e-2/seed2/joint/checkpoint_last.pt"
    assert log.startswith(f"$ {sys.executable} -m fairseq_cli.train ")
    assert f"--init-from {start}: took" in log
    joint = torch.load(start, weights_only=True)
    assert joint["optimizer_history"][-1]["num_updates"] == 4
    assert "last_optimizer_state" not in joint
    assert joint["cfg"]["lr_scheduler"]["warmup_updates"] == 2
    checkpoints = [path.relative_to(folder).parts[2] for path in folder.rglob("checkpoint*.pt")]
    settings = read_run_log(folder / "lr=1e-2/seed2/finetune/nli-en/log.jsonl")[0]["settings"]
    assert settings["no_last_checkpoints"] and settings["no_save_optimizer_state"]
    assert checkpoints == ["joint"] * 4  # those of the stage that is discarded are not there


@pytest.mark.slow
def test_other_options_are_refused_and_nothing_is_made_twice(
    finished: tuple[Path, dict[Path, int], str], made: Made, tmp_path: Path
) -> None:
    folder, _, _ = finished
    file = write(tmp_path, made)
    assert call(file, "--out", folder, "--print")[:2] == (0, "")
    status, _, err = call(write(tmp_path, made, ("max-update: 4", "max-update: 5")), "--out", folder)
    assert status == 1
    assert err.startswith(f"{folder}/lr=1e-4/seed1/joint: begun with other options: --max-update was 4, now 5")
    assert err.count("\n") == 1


@pytest.mark.slow
def test_a_run_that_fails_does_not_keep_the_others(made: Made, tmp_path: Path) -> None:
    (tmp_path / "damaged.pt").write_bytes(b"no checkpoint")
    runs = f"    runs: {{good: {{lr: 1e-3}}, bad: {{lr: 1e-3, init-from: {tmp_path}/damaged.pt}}}}"
    file = write(tmp_path, made, ("    grid: {lr: [1e-4, 1e-2]}", runs))
    file.write_text(file.read_text().replace("seeds: [1, 2]", "seeds: [2]"), encoding="utf-8")
    status, out, err = call(file, "--out", tmp_path / "out")
    assert status == 1
    said = err.splitlines()
    bad = [line for line in said if "bad/seed2/joint failed: " in line]
    assert len(bad) == 1
    assert "damaged.pt" in bad[0]
    assert any("bad/seed2/finetune/nli-en failed: starts from " in line for line in said)
    assert said[-1] == f"{tmp_path / 'out'}: 2 of 4 runs failed; the same command tries them again"
    assert list(json.loads((tmp_path / "out/table.json").read_text())["rows"]) == ["joint", "finetune"]
    assert "good/seed2/joint: avg" in out


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("  num-workers: 0", "  num-worker: 0"), 8, "--num-worker: fairseq-train has no such option; did you mean"),
        (("lr: [1e-4, 1e-2]", "lr: [1e-4, fast]"), 15, "--lr: expected numbers separated by commas, not 'fast'"),
        (("dense_tiny", "dense_tinny"), 5, "--arch dense_tinny: unknown; did you mean 'dense_tiny'?"),
        (("[nli-en]\n", "[nli-em]\n"), 18, "each: unknown corpus 'nli-em'; did you mean "),
    ],
)
def test_wrong_options_are_told_before_anything_runs(
    made: Made, tmp_path: Path, change: tuple[str, str], line: int, message: str
) -> None:
    file = write(tmp_path, made, change)
    status, out, err = call(file)
    assert (status, out) == (1, "")
    assert err.startswith(f"{file}:{line}: {message}"), err
    assert err.count("\n") == 1
    assert not (tmp_path / "two").exists()


def test_commands_are_printed(made: Made, tmp_path: Path) -> None:
    status, out, err = call(write(tmp_path, made), "--print")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == 16
    assert lines[0].startswith(f"{sys.executable} -m fairseq_cli.train {made.data} --user-dir ")
    assert " --lr 1e-4 " in lines[0]
    assert not (tmp_path / "two").exists()
