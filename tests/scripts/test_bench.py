"""Every measure runs, and says what it should; how fast things are is no test."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.conftest import ROOT, execute

pytestmark = pytest.mark.slow
BENCH = ROOT / "scripts/bench.py"


def bench(folder: Path, *arguments: object) -> tuple[dict[str, Any], str]:
    """The file and the lines of a run of the smallest size."""
    file = folder / "figures.json"
    status, out, err = execute(BENCH, "--tiny", "--json", file, *arguments)
    assert status == 0, out + err
    return json.loads(file.read_text()), out


@pytest.mark.parametrize(
    ("measure", "more", "expected"),
    [
        ("layers", (), {"layers/skills/64/float32/k5", "layers/experts/64/float32/mt_tag"}),
        ("super-batch", (), {"super-batch/dense", "super-batch/skillnet_x_ffn_mha"}),
        ("r3f", ("--variants", "dense,moe_top2"), {"r3f/dense/2", "r3f/moe_top2/2"}),
        ("sampling", (), {"sampling/uncertainty"}),
        ("skills-bank", (), {"skills-bank/50/time", "skills-bank/200/memory"}),
        ("training", (), {"training/16"}),
        pytest.param(
            "update",
            ("--variants", "dense,ca_mtl", "--options", "", "--options=--seed 2", "--beside", f"other={ROOT}"),
            {"update/8x16/dense/busy-over/other", "update/1x16/ca_mtl/other", "update/1x16/dense/--seed 2"},
            marks=pytest.mark.long,
        ),
        pytest.param(
            "ranks",
            ("--variants", "dense"),
            {f"ranks/dense/{start}/{ddp}_ddp" for start in ("spawned", "torchrun") for ddp in ("pytorch", "legacy")},
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_measure(measure: str, more: tuple[str, ...], expected: set[str], tmp_path: Path) -> None:
    written, out = bench(tmp_path, "--only", measure, *more)
    assert expected <= written["figures"].keys()
    assert written["versions"]["torch"] and written["machine"]["cores"] and "bench.py --tiny" in written["command"]
    lines = {line.split()[0]: line for line in out.splitlines() if line.strip()}
    for name, figure in written["figures"].items():
        assert math.isfinite(figure["value"]) and figure["what"]
        numbers = [value for value in figure["details"].values() if not isinstance(value, dict)]
        assert numbers and all(map(math.isfinite, numbers))
        if "reach" in figure:
            (bound,) = figure["reach"].values()
            holds = figure["value"] <= bound if "at_most" in figure["reach"] else figure["value"] >= bound
            assert figure["reached"] is holds
            assert (": yes" in lines[name]) is holds


def test_flops_are_active_parameters_times_tokens(tmp_path: Path) -> None:
    written, _ = bench(tmp_path, "--only", "update/8x16", "--variants", "dense,skillnet_x_ffn")
    dense, flops = (written["figures"][f"update/8x16/{name}"]["details"] for name in ("dense", "skillnet_x_ffn/flops"))
    network = (64 * 128 + 128) + (128 * 64 + 64)
    layer = 4 * (64 * 64 + 64) + network + 4 * 64
    assert flops["dense_tflop"] * 1e12 == pytest.approx(6 * 2 * layer * dense["tokens"])
    ratios = [(layer + skills * network) / layer for skills in (2, 4)]  # 2 to 4 task skills, and a language's
    assert ratios[0] < flops["flops_over_dense"] < ratios[1]


def test_what_is_not_measured() -> None:
    status, _, err = execute(BENCH, "--only", "skill_ffn/1")
    assert status == 2
    assert "nothing to measure on cpu called skill_ffn/1; known: layers, " in err


def test_what_there_is_to_measure() -> None:
    status, out, _ = execute(BENCH, "--only", "layers/skills", "--list")
    assert status == 0
    assert out.split() == [f"layers/skills/{w}/float32/{c}" for w in (384, 768) for c in ("k1", "k3", "k5", "pack")]
