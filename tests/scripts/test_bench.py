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
        pytest.param("data", (), {"data/check-single/rate", "data/prepare-pair/memory"}, marks=pytest.mark.long),
        ("training/16", (), {"training/16"}),
        ("text-to-text", (), {"text-to-text/16"}),
        ("predict", (), {"predict/predict", "predict/evaluate"}),
        ("export", (), {"export/slice", "export/onnx", "export/onnx-int8"}),
        pytest.param("serve", (), {"serve"}, marks=pytest.mark.long),
        ("plan", (), {"plan/tokens/first", "plan/batch-size/twentieth", "plan/200/memory"}),
        pytest.param("start", (), {"start"}, marks=pytest.mark.long),
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
    assert written["versions"]["torch"] and written["machine"]["cores"]
    assert written["command"].startswith(f"python scripts/bench.py --tiny --only {measure}")
    lines = {line.split("  ")[0]: line for line in out.splitlines()}  # names may hold options, with spaces
    for name, figure in written["figures"].items():
        assert math.isfinite(figure["value"]) and figure["what"]
        numbers = [value for value in figure["details"].values() if not isinstance(value, dict)]
        assert numbers and all(map(math.isfinite, numbers))
        if "reach" in figure:
            (bound,) = figure["reach"].values()
            holds = figure["value"] <= bound if "at_most" in figure["reach"] else figure["value"] >= bound
            assert figure["reached"] is holds
            assert (": yes" in lines[name]) is holds


@pytest.mark.long
def test_flops_are_those_of_active_matrices_times_tokens(tmp_path: Path) -> None:
    written, _ = bench(tmp_path, "--only", "update/8x16", "--variants", "dense,skillnet_x_ffn")
    dense, flops = (written["figures"][f"update/8x16/{name}"]["details"] for name in ("dense", "skillnet_x_ffn/flops"))
    network = 64 * 128 + 128 * 64
    layer = 4 * 64 * 64 + network
    assert flops["dense_tflop"] * 1e12 == pytest.approx(6 * 2 * layer * dense["tokens"])
    ratios = [(layer + skills * network) / layer for skills in (2, 4)]  # 2 to 4 task skills, and a language's
    assert ratios[0] < flops["flops_over_dense"] < ratios[1]


def test_the_table_of_the_page_is_that_of_the_files(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text((ROOT / "docs/performance.md").read_text())
    status, _, err = execute(BENCH, "--page", page)
    assert status == 0, err
    assert page.read_text() == (ROOT / "docs/performance.md").read_text()


def test_a_page_says_what_was_asked_and_what_fell_short(tmp_path: Path) -> None:
    folder, page = tmp_path / "files", tmp_path / "page.md"
    folder.mkdir()
    figures = {
        "a/1": {"value": 1.2345, "unit": "", "what": "one", "reach": {"at_most": 1.5}, "reached": True,
                "details": {"busy_ms": 11.06, "sentences_per_s": 3437.2, "kernels": 833.0, "most_ms": {"k": 1.0}}},
        "b/2/x": {"value": 1.9, "unit": "", "what": "two", "reach": {"at_least": 2.5}, "reached": False},
        "b/3": {"value": 12.0, "unit": "s", "what": "three"},
    }  # fmt: skip
    about = {"machine": {"cpu": "C", "cores": 2, "gpus": ["G", "G"]}, "versions": {"torch": "2", "numpy": None}}
    (folder / "run.json").write_text(json.dumps({**about, "commit": "abc", "command": "run", "figures": figures}))
    (folder / "reasons.json").write_text(json.dumps({"b/2": "It waits."}))
    page.write_text("before\n<!-- numbers -->\nold\n<!-- end of numbers -->\nafter\n")
    status, _, err = execute(BENCH, "--page", page, "--page-files", folder)
    assert status == 0, err
    lines = page.read_text().splitlines()
    assert (lines[0], lines[-1], "old" in lines) == ("before", "after", False)
    assert "### a and b: on 2 × G" in lines
    assert "C, 2 cores; torch 2; commit abc." in lines
    assert "| one | 1.234 | ≤ 1.5 | busy 11.06 ms, 3,437 sentences/s, kernels 833 |" in lines
    assert "| two | 1.9 | ≥ 2.5: missed |  |" in lines
    assert "| three | 12 s |  |  |" in lines
    assert "- two: 1.9, where ≥ 2.5 was asked. It waits." in lines


def test_what_is_not_measured() -> None:
    status, _, err = execute(BENCH, "--only", "skill_ffn/1")
    assert status == 2
    assert "nothing to measure on cpu called skill_ffn/1; known: layers, " in err


def test_what_there_is_to_measure() -> None:
    status, out, _ = execute(BENCH, "--only", "layers/skills", "--list")
    assert status == 0
    assert out.split() == [f"layers/skills/{w}/float32/{c}" for w in (384, 768) for c in ("k1", "k3", "k5", "pack")]
