"""An update waits for a GPU once: the host looks at nothing before it has launched all of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.conftest import Made, execute

PROGRAM = Path(__file__).with_name("host_looks_program.py")
OPTIONS = ("--disable-validation", "--no-save", "--max-update", 6, "--corpora-per-batch", 8, "--clip-norm", 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arch", "criterion", "on_host"),
    [
        # at the number that stands in for the norm until it is there: fairseq and compat.infinite_gradients
        # at the norm among the numbers that came to the host: whether it was clipped
        ("skillnet_x_ffn_mha_tiny", "multitask_cross_entropy", 3),
        # and at the numbers of the examples, of which the noise is drawn
        ("dense_tiny", "multitask_r3f", 4),
    ],
)
def test_an_update_looks_at_its_gradients_norm_alone(
    arguments: Callable[..., list[str]], every_kind: Made, tmp_path: Path, arch: str, criterion: str, on_host: int
) -> None:
    corpora = ("--corpora", every_kind.corpora, "--criterion", criterion)
    _, _, _, *options = arguments(tmp_path, *OPTIONS, *corpora, data=every_kind.data, arch=arch)
    status, output = execute(sys.executable, PROGRAM, *options)
    assert status == 0, output[-3000:]
    looks = list(map(int, re.findall(r"looks of an update: (\d+)", output)))
    assert len(looks) == 6
    assert set(looks) == {on_host + 1}  # one at what a GPU has to be waited for
