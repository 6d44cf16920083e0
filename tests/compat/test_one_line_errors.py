"""An InputError ends every program of fairseq's as one line and status 1, wherever it was raised."""

import pytest

from skill_plugin.compat.one_line_errors import one_line
from skill_plugin.errors import InputError
from tests.compat.fairseq_runs import TOY, program, train


@pytest.mark.slow
def test_in_a_workers_process(tmp_path):
    train(tmp_path, "--num-workers", "1", TOY_FAULT="worker").assert_stopped_with("data.tsv:7: a fault in worker")


@pytest.mark.slow
def test_in_a_spawned_rank(tmp_path):
    two = ("--distributed-world-size", "2", "--distributed-backend", "gloo")
    train(tmp_path, *two, TOY_FAULT="load").assert_stopped_with("data.tsv:7: a fault in load")


@pytest.mark.slow
def test_in_fairseq_validate(trained):
    arguments = ["--user-dir", TOY, "--task", "toy", "--path", trained / "checkpoint_best.pt", "--cpu"]
    run = program("fairseq-validate", *map(str, arguments), "--batch-size", "4", fresh=True, TOY_FAULT="load")
    assert "Traceback" not in run.out + run.err
    assert run.err.strip().splitlines()[-1] == "data.tsv:7: a fault in load"  # fairseq logs there before it knows us
    assert run.status == 1


HYDRA = f"""
common: {{user_dir: {TOY}, cpu: true, no_progress_bar: true, log_format: simple}}
task: {{_name: toy}}
model: {{_name: toy}}
criterion: {{_name: toy}}
optimizer: {{_name: skill_adam}}
lr_scheduler: {{_name: fixed}}
dataset: {{batch_size: 4, num_workers: 0}}
optimization: {{max_update: 6, lr: [0.01]}}
checkpoint: {{save_dir: SAVE}}
"""


@pytest.fixture
def hydra(tmp_path):
    """Runs fairseq-hydra-train on the toy plugin."""
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "toy.yaml").write_text(HYDRA.replace("SAVE", str(tmp_path / "save")))
    arguments = ("--config-dir", str(tmp_path / "conf"), "--config-name", "toy")
    return lambda *more, **env: program("fairseq-hydra-train", *arguments, *more, cwd=tmp_path, **env)


@pytest.mark.slow
def test_in_fairseq_hydra_train(hydra):
    run = hydra(TOY_FAULT="setup")
    assert "Traceback" not in run.out + run.err
    assert run.err.strip().splitlines()[-1] == "data.tsv:7: a fault in setup"
    assert run.status == 1


@pytest.mark.slow
def test_fairseq_hydra_train_trains(hydra, tmp_path):
    run = hydra(fresh=True)
    assert run.status == 0, run.err[-3000:]
    assert (tmp_path / "save" / "checkpoint_last.pt").exists()


def test_other_errors_stay_as_they_are():
    assert one_line(ValueError("x")) is None


def test_what_is_shown():
    assert one_line(InputError("wrong", "a.yaml", 3)) == "a.yaml:3: wrong"
    worker = InputError("Caught InputError in worker 0.\nTraceback\nskill_plugin.errors.InputError: a.tsv:1: wrong\n")
    assert one_line(worker) == "a.tsv:1: wrong"
