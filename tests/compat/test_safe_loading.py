"""Checkpoints of every age load with weights_only=True, and nothing else in a file is executed."""

import argparse
import collections
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch
from fairseq import checkpoint_utils
from fairseq.distributed.utils import _TensorPlaceholder
from omegaconf import OmegaConf
from torch.serialization import get_unsafe_globals_in_checkpoint

from skill_plugin.compat.safe_loading import safe_globals
from tests.compat.fairseq_runs import train_here, unpatch, weights

CONTENTS = {
    "Namespace": argparse.Namespace(arch="roberta_base", lr=[0.1]),
    "DictConfig": OmegaConf.create({"task": {"_name": "x", "rate": 0.5, "sizes": [1, 2], "seed": "${task.rate}"}}),
    "placeholder": _TensorPlaceholder(3),
    "numpy scalars": [np.float64(1.5), np.float32(2), np.int64(3), np.bool_(True)],
    "numpy array": np.arange(3.0),
    "defaultdict": collections.defaultdict(dict),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_what_checkpoints_hold_is_loaded(tmp_path, content):
    file = tmp_path / "x.pt"
    torch.save(content, file)
    loaded = torch.load(file, weights_only=True)
    if isinstance(content, np.ndarray):
        assert np.array_equal(loaded, content)
    else:
        assert loaded == content


def test_names_of_older_numpy_and_fairseq(tmp_path):
    allowed = {entry[1] for entry in safe_globals() if isinstance(entry, tuple)}
    assert {"numpy.core.multiarray.scalar", "fairseq.meters.AverageMeter", "typing.Any"} <= allowed


def test_nothing_else_is_executed(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    torch.save({"model": Evil()}, tmp_path / "evil.pt")
    with pytest.raises(pickle.UnpicklingError):
        torch.load(tmp_path / "evil.pt", weights_only=True)
    assert not (tmp_path / "made").exists()


def test_a_run_goes_on_from_its_checkpoint(tmp_path, trained, monkeypatch):
    train_here(monkeypatch, tmp_path, "--max-update", "4")
    train_here(monkeypatch, tmp_path)
    for name, value in weights(trained).items():
        assert torch.equal(value, weights(tmp_path)[name]), name


def test_without_the_allow_list_it_does_not(trained):
    """In a process of its own: the allow-list of this one cannot be taken back for what torch has seen."""
    file = str(trained / "checkpoint_last.pt")
    assert get_unsafe_globals_in_checkpoint(file) == []  # all of them allowed here
    load = f"import torch; torch.load({file!r}, weights_only=True)"
    done = subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "numpy" in done.stderr


def test_a_library_loads_a_model(trained):
    models, _, task = checkpoint_utils.load_model_ensemble_and_task([str(trained / "checkpoint_best.pt")])
    assert type(task).__name__ == "ToyTask"
    assert len(models) == 1


def test_unpatching_finds_the_original(monkeypatch):
    unpatch(monkeypatch, checkpoint_utils, "load_checkpoint_to_cpu")
    assert "fairseq" in checkpoint_utils.load_checkpoint_to_cpu.__code__.co_filename
