"""Gradients and sums exchanged by two and three ranks are those computed from what all of them had."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import warm_process

PROGRAM = Path(__file__).with_name("exchange_program.py")


@pytest.mark.parametrize("ranks", [2, 3])
def test_exchange_is_the_mean_computed_from_all_gradients(ranks, tmp_path):
    started = [
        warm_process.Popen(
            [sys.executable, str(PROGRAM), str(rank), str(ranks), str(tmp_path / "meeting")],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(ranks)
    ]
    ends = [(process.communicate(timeout=100)[0], process.returncode) for process in started]
    assert all(status == 0 for _, status in ends), "\n".join(output[-3000:] for output, _ in ends)
