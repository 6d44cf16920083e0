"""Every benchmark runs, and writes what it prints; how fast things are is no test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.scripts.conftest import ROOT, execute

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("script", "name"),
    [
        ("bench.py", "skill_ffn/384/k1"),
        ("bench_layers.py", "cpu/384/float32/moe_top2/mask_loop"),
        ("bench_r3f.py", "cpu/small/16/dense"),
        pytest.param("bench_sampling.py", "super_batch", marks=pytest.mark.long),
        pytest.param("bench_sampling.py", "uncertainty", marks=pytest.mark.long),
    ],
)
def test_one_round(script: str, name: str, tmp_path: Path) -> None:
    status, out, err = execute(
        ROOT / "scripts" / script, "--only", name, "--rounds", "1", "--json", tmp_path / "figures.json"
    )
    assert status == 0, out + err
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert list(figures["ratios"]) == [name]
    assert f"{name}  {figures['ratios'][name]:.3f}" in out


def test_what_is_not_measured(tmp_path: Path) -> None:
    status, _, err = execute(ROOT / "scripts/bench.py", "--only", "skill_ffn/1")
    assert status == 2
    assert "nothing to measure; known: skill_ffn/384/k1, " in err
