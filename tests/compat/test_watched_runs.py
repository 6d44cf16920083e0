"""A task is told of its run's beginning, bars and end."""

import sys
from contextlib import contextmanager

import pytest
from fairseq.logging import progress_bar as bars
from fairseq_cli import train as fairseq_train

from skill_plugin.compat import watched_runs
from skill_plugin.errors import InputError
from tests.compat.fairseq_runs import train_here, unpatch


class Watch:
    def __init__(self):
        self.seen = []

    def begin(self, epoch):
        self.seen.append(("begin", epoch))

    def bar(self, make, iterator, options):
        self.seen.append(("bar", options["epoch"], "prefix" in options))
        return make(iterator, **options)

    @contextmanager
    def during(self, part):
        self.seen.append((part, "begins"))
        try:
            yield
        finally:
            self.seen.append((part, "ends"))

    def end(self, reason, message=None):
        self.seen.append(("end", reason, message))


@pytest.fixture
def watch(monkeypatch):
    """What the toy task watches its run with."""
    watched_runs.install()
    made = Watch()
    monkeypatch.setattr(sys.modules["toy_plugin"].ToyTask, "watch", lambda *_: made, raising=False)
    return made


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--max-update 3", "max_update"),
        ("--max-update 0 --max-epoch 1", "max_epoch"),
        ("--stop-time-hours 1e-9", "stop_time_hours"),
        ("--patience 1 --validate-interval-updates 1 --lr 0.000001", "patience"),
        # a schedule that goes down between two epochs
        ("--max-update 0 --lr-shrink 0.1 --force-anneal 1 --stop-min-lr 0.005", "stop_min_lr"),
    ],
)
def test_the_reason_is_the_option_that_ended_the_run(watch, tmp_path, monkeypatch, options, reason):
    train_here(monkeypatch, tmp_path, *options.split())
    assert watch.seen[0] == ("begin", 1)
    assert watch.seen[1] == ("bar", 1, False)
    assert ("bar", 1, True) in watch.seen
    assert [one for one in watch.seen if one[0] == "end"] == [("end", reason, None)] == watch.seen[-1:]


def test_validations_and_saves_are_told(watch, tmp_path, monkeypatch):
    train_here(monkeypatch, tmp_path, "--max-update", "3", "--save-interval-updates", "2")
    parts = [one for one in watch.seen if one[0] in ("validation", "checkpoints")]
    once = [(part, when) for part in ("validation", "checkpoints") for when in ("begins", "ends")]
    assert parts == once * 2  # after two updates, and at the end


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (KeyboardInterrupt(), ("end", "interrupted", None)),
        (InputError("no good", "a.tsv", 3), ("end", "error", "a.tsv:3: no good")),
        (ZeroDivisionError("by zero"), ("end", "error", "ZeroDivisionError: by zero")),
    ],
)
def test_an_error_is_told_and_goes_on(watch, tmp_path, monkeypatch, error, end):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(sys.modules["toy_plugin"].ToyTask, "valid_step", fail)
    with pytest.raises(type(error)):
        train_here(monkeypatch, tmp_path)
    assert watch.seen[-1] == end


def test_without_the_patch_nothing_is_told(watch, tmp_path, monkeypatch):
    unpatch(monkeypatch, fairseq_train, "train")
    train_here(monkeypatch, tmp_path)
    assert watch.seen == []
    assert bars.progress_bar.__wrapped__.__code__.co_filename == bars.__file__
    watched_runs.install()  # a second time changes nothing
    assert bars.progress_bar.__wrapped__.__code__.co_filename == bars.__file__


def test_a_task_that_does_not_want_to_is_left_alone(tmp_path, monkeypatch):
    watched_runs.install()
    train_here(monkeypatch, tmp_path)
    assert (tmp_path / "checkpoint_last.pt").exists()
