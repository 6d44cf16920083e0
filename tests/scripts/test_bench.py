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
        ("training", (), {"training/16"}),
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


def test_what_is_not_measured() -> None:
    status, _, err = execute(BENCH, "--only", "skill_ffn/1")
    assert status == 2
    assert "nothing to measure on cpu called skill_ffn/1; known: layers, " in err


def test_what_there_is_to_measure() -> None:
    status, out, _ = execute(BENCH, "--only", "layers/skills", "--list")
    assert status == 0
    assert out.split() == [f"layers/skills/{w}/float32/{c}" for w in (384, 768) for c in ("k1", "k3", "k5", "pack")]
