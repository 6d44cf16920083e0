"""A task can end its run after a validation."""

import sys

import pytest
import torch
from fairseq_cli import train as fairseq_train

from skill_plugin.compat import task_stops
from tests.compat.fairseq_runs import train_here, unpatch


@pytest.fixture
def ends_its_run(monkeypatch):
    """The toy task wishes to end its run as soon as it is asked."""
    task_stops.install()
    monkeypatch.setattr(sys.modules["toy_plugin"].ToyTask, "finished", True, raising=False)


def updates(folder):
    checkpoint = torch.load(folder / "checkpoint_last.pt", weights_only=True)
    return checkpoint["optimizer_history"][-1]["num_updates"]


def test_the_run_ends_with_a_checkpoint(ends_its_run, tmp_path, monkeypatch):
    train_here(monkeypatch, tmp_path, "--validate-interval-updates", "2")
    assert updates(tmp_path) < 6
    task_stops.install()  # a second time changes nothing
    assert fairseq_train.should_stop_early.__wrapped__.__code__.co_filename == fairseq_train.__file__


def test_without_the_patch_it_goes_on(ends_its_run, tmp_path, monkeypatch):
    unpatch(monkeypatch, fairseq_train, "should_stop_early")
    train_here(monkeypatch, tmp_path)
    assert updates(tmp_path) == 6


def test_patience_and_other_tasks_are_as_before(tmp_path, monkeypatch):
    task_stops.install()
    train_here(monkeypatch, tmp_path)
    assert updates(tmp_path) == 6
