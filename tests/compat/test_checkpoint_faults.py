"""A checkpoint that is missing, short, foreign or does not fit stops the run with one line."""

import os

import pytest
import torch
from fairseq import checkpoint_utils

from skill_plugin.errors import InputError
from tests.compat.fairseq_runs import train_here, unpatch


@pytest.mark.parametrize("option", ["--restore-file", "--finetune-from-model", "--continue-once"])
def test_missing(tmp_path, monkeypatch, option):
    with pytest.raises(InputError, match=r"nowhere\.pt: .*no such checkpoint") as caught:
        train_here(monkeypatch, tmp_path, option, "nowhere.pt")
    assert option in str(caught.value)


def test_without_the_patch_a_missing_one_is_trained_over(tmp_path, monkeypatch, caplog):
    unpatch(monkeypatch, checkpoint_utils, "load_checkpoint")
    with caplog.at_level("INFO"):
        train_here(monkeypatch, tmp_path, "--restore-file", "nowhere.pt", "--max-update", "1")
    assert "No existing checkpoint found nowhere.pt" in caplog.text


def test_a_missing_start_does_not_matter_any_more_on_resuming(tmp_path, monkeypatch):
    train_here(monkeypatch, tmp_path, "--max-update", "1")
    train_here(monkeypatch, tmp_path, "--max-update", "2", "--finetune-from-model", "nowhere.pt")


def test_missing_for_validation():
    with pytest.raises(InputError, match="--path: no such checkpoint"):
        checkpoint_utils.load_model_ensemble_and_task(["nowhere.pt"])


class Odd:
    def __reduce__(self):
        return os.getcwd, ()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a whole checkpoint"),
        (b"text", "not a whole checkpoint"),
        ("cut", "not a whole file"),
        ({"model": {}}, "lacks 'best_loss'"),
        ([1, 2], "holds no dictionary"),
        ({"model": Odd()}, "holds an object of (posix|os).getcwd"),
    ],
    ids=["empty", "text", "cut short", "foreign", "a list", "an untrusted object"],
)
def test_unreadable(tmp_path, monkeypatch, trained, content, words):
    file = tmp_path / "checkpoint_last.pt"
    if content == "cut":
        whole = (trained / "checkpoint_last.pt").read_bytes()
        file.write_bytes(whole[: len(whole) // 2])
    elif isinstance(content, bytes):
        file.write_bytes(content)
    else:
        torch.save(content, file)
    with pytest.raises(InputError, match=words) as caught:
        train_here(monkeypatch, tmp_path)
    assert str(caught.value).startswith(f"{file}: ")
    assert "\n" not in str(caught.value)


def test_of_another_size(tmp_path, monkeypatch, trained):
    with pytest.raises(InputError, match=r"does not fit --arch toy: size mismatch for .*\(and 4 more\)"):
        train_here(monkeypatch, tmp_path, "--restore-file", str(trained / "checkpoint_best.pt"), "--width", "9")


def test_of_another_optimizer(tmp_path, monkeypatch, trained):
    with pytest.raises(InputError, match="Optimizer does not match; please reset the optimizer"):
        train_here(monkeypatch, tmp_path, "--restore-file", str(trained / "checkpoint_best.pt"), "--optimizer", "adam")
