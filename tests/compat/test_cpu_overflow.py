"""--fp16 --fp16-no-flatten-grads on CPU goes on after an overflow."""

import pytest
from fairseq.trainer import Trainer

from tests.compat.fairseq_runs import train_here, unpatch, weights

FP16 = ("--fp16", "--fp16-no-flatten-grads", "--fp16-scale-window", "100", "--max-update", "3")
TOO_LARGE = ("--fp16-init-scale", str(2**24))


@pytest.mark.parametrize("mode", [FP16, ("--memory-efficient-fp16", *FP16[2:])], ids=["no-flatten", "memory-efficient"])
def test_an_overflow_lowers_the_scale(tmp_path, monkeypatch, caplog, mode):
    with caplog.at_level("INFO"):
        train_here(monkeypatch, tmp_path, *mode, *TOO_LARGE)
    assert "gradient overflow detected" in caplog.text
    assert all(value.isfinite().all() for value in weights(tmp_path).values())


def test_without_the_patch_it_is_the_end(tmp_path, monkeypatch):
    unpatch(monkeypatch, Trainer, "train_step")
    with pytest.raises((AssertionError, RuntimeError), match=r"(?i)cuda|nvidia"):
        train_here(monkeypatch, tmp_path, *FP16, *TOO_LARGE)
