"""Which files a save within an epoch writes."""

import pytest
from fairseq import checkpoint_utils

from skill_plugin.compat import interval_checkpoints
from tests.compat.fairseq_runs import train_here, unpatch

NUMBERED = ["checkpoint_1_2.pt", "checkpoint_best.pt", "checkpoint_last.pt"]


def files(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix == ".pt")


@pytest.mark.parametrize(("keep", "left"), [(0, NUMBERED[1:]), (1, NUMBERED), (-1, NUMBERED)])
def test_none_are_kept_if_none_are_asked_for(tmp_path, monkeypatch, keep, left):
    interval_checkpoints.install()
    options = ("--max-update", "2", "--save-interval-updates", "2", "--keep-interval-updates", str(keep))
    train_here(monkeypatch, tmp_path, *options)
    assert files(tmp_path) == left


def test_a_run_goes_on_from_the_last_one(tmp_path, monkeypatch):
    interval_checkpoints.install()
    options = ("--save-interval-updates", "1", "--keep-interval-updates", "0", "--no-epoch-checkpoints")
    for updates in (2, 4):
        train_here(monkeypatch, tmp_path, *options, "--max-update", str(updates))
        last = checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "checkpoint_last.pt"))
        assert last["optimizer_history"][-1]["num_updates"] == updates
        assert last["cfg"]["checkpoint"]["save_interval_updates"] == 1
    assert files(tmp_path) == NUMBERED[1:]


def test_without_the_patch_none_means_all(tmp_path, monkeypatch):
    unpatch(monkeypatch, checkpoint_utils, "save_checkpoint")
    options = ("--max-update", "2", "--save-interval-updates", "2", "--keep-interval-updates", "0")
    train_here(monkeypatch, tmp_path, *options)
    assert files(tmp_path) == NUMBERED
