"""DESIGN, invariant 6: several ranks compute what one does."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests import warm_process
from tests.integration.conftest import ENVIRONMENT

pytestmark = pytest.mark.slow
SGD = (
    "--optimizer",
    "sgd",
    "--lr",
    0.5,
    "--dropout",
    0,
    "--attention-dropout",
    0,
    "--head-dropout",
    0,
    "--clip-norm",
    0,
)
TWO = {
    "cpu": ("--distributed-world-size", 2, "--distributed-backend", "gloo"),
    "cuda": ("--distributed-world-size", 2),
}
ON_EACH_DEVICE = pytest.mark.parametrize(
    "device",
    ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs"))],
)


@pytest.fixture(scope="module")
def one_process(train: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Any]:
    """A run with ``--update-freq 2``, by variant and device."""

    @functools.cache
    def run(variant: str, device: str) -> Any:
        options = (*SGD, "--update-freq", 2, "--max-update", 6, "--save-interval-updates", 3)
        alone = ("--distributed-world-size", 1)
        return train(tmp_path_factory.mktemp(variant), *options, *alone, arch=f"{variant}_tiny", device=device)

    return run


@ON_EACH_DEVICE
@pytest.mark.parametrize(
    ("variant", "backend"),
    [
        ("skillnet_x_ffn_mha", "pytorch_ddp"),
        ("skillnet_x_ffn_mha", "legacy_ddp"),
        ("mt_tag", "pytorch_ddp"),
        ("ca_mtl", "pytorch_ddp"),
        pytest.param("skillnet_x_ffn", "pytorch_ddp", marks=pytest.mark.long),  # parts of skillnet_x_ffn_mha
        pytest.param("mt_tag", "legacy_ddp", marks=pytest.mark.long),
        pytest.param("ca_mtl", "legacy_ddp", marks=pytest.mark.long),
    ],
)
def test_two_ranks_are_one_with_update_freq_2(
    variant: str,
    backend: str,
    device: str,
    one_process: Callable[[str, str], Any],
    train: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """Batches differ in skills, language, gate and head from rank to rank, since each is of one corpus."""
    one = one_process(variant, device)
    options = (*SGD, *TWO[device], "--ddp-backend", backend, "--max-update", 6)
    two = train(tmp_path, *options, arch=f"{variant}_tiny", device=device)
    expected, start = one.checkpoint()["model"], one.checkpoint("checkpoint_1_3.pt")["model"]
    for name, tensor in two.checkpoint()["model"].items():
        # on a GPU sums are atomic additions, in any order
        torch.testing.assert_close(tensor, expected[name], atol=1e-6 if device == "cpu" else 2e-5, rtol=1e-5, msg=name)
    assert max(float((expected[name] - start[name]).abs().max()) for name in expected) > 1e-3
    for key in ("valid_avg", "valid_loss", "valid_nli-en_accuracy"):
        assert float(two.log(key)[-1][key]) == pytest.approx(
            float(one.log(key)[-1][key]), abs=1e-5 if device == "cpu" else 1e-3
        )


def ranks_of(process: int) -> list[int]:
    """Processes that a run has launched to train."""
    children = map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())
    return [child for child in children if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes()]


@ON_EACH_DEVICE
def test_a_killed_rank_ends_the_run_and_the_next_goes_on(
    device: str, arguments: Callable[..., list[str]], train: Callable[..., Any], tmp_path: Path
) -> None:
    """In one line, and on the CPU to bit-identical losses and weights."""
    options = (*TWO[device], "--max-update", 30, "--save-interval-updates", 4, "--disable-validation")
    whole = train(tmp_path / "whole", *options, device=device)
    process = warm_process.Popen(
        arguments(tmp_path / "killed", *options, device=device),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=ENVIRONMENT,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if '"num_updates": "10"' in line:
            os.kill(ranks_of(process.pid)[-1], signal.SIGKILL)
            break
    output, _ = process.communicate(timeout=100)
    assert process.returncode == 1
    assert "Traceback" not in output
    assert output.splitlines()[-1] == "rank 1 was killed by SIGKILL; the others were stopped"
    rest = train(tmp_path / "killed", *options, device=device)
    expected, losses = (
        {entry["num_updates"]: entry["loss"] for entry in run.log("num_updates") if "ups" in entry}
        for run in (whole, rest)
    )
    assert 15 < len(losses) < 30
    weights = whole.checkpoint()["model"]
    if device == "cuda":  # where sums are atomic additions, in any order
        assert losses == pytest.approx({update: expected[update] for update in losses}, abs=2e-2)
        return
    assert losses == {update: expected[update] for update in losses}
    assert all(torch.equal(tensor, weights[name]) for name, tensor in rest.checkpoint()["model"].items())
