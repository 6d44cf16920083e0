"""Measured tables of examples/*/results, and pages that show them, are what the results.json beneath them give."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from tests import warm_process

ROOT = Path(__file__).parents[2]
MEASURED = sorted((ROOT / "examples").glob("*/results/tables.sh"))
sys.path.insert(0, str(ROOT / "scripts"))
import findings  # noqa: E402


def test_its_command_line(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "findings.py"
    for arguments, status in ((["--help"], 0), ([tmp_path], 1), (["--hlp"], 2)):
        done = warm_process.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == status and "Traceback" not in done.stderr
    assert done.stderr.startswith("usage:")


def test_there_are_some() -> None:
    assert MEASURED


def copied(work: Path, folder: Path) -> Path:
    """The results of a work in a repository of their own, without tables."""
    shutil.copytree(work, folder / "examples" / work.name)
    for name in ("recipes.sh", "tables.sh"):
        shutil.copy(ROOT / "examples" / name, folder / "examples")
    for room in ("scripts", "skill_plugin"):
        (folder / room).symlink_to(ROOT / room)
    results = folder / "examples" / work.name / "results"
    for table in results.rglob("*.md"):
        if not (table.parent / "table.json").exists():  # else learning_curves.py made both
            table.unlink()
    return results


def make_tables(results: Path) -> str:
    """Makes them; what it said of results that are not there."""
    done = subprocess.run(
        ["bash", str(results / "tables.sh")], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


def tables_of(results: Path) -> dict[str, str]:
    return {str(table.relative_to(results)): table.read_text() for table in results.rglob("*.md")}


@pytest.mark.parametrize("script", MEASURED, ids=lambda script: script.parts[-3])
def test_tables_are_those_of_the_results(script: Path, tmp_path: Path) -> None:
    results = copied(script.parent.parent, tmp_path)
    make_tables(results)
    assert tables_of(results) == tables_of(script.parent)


def test_pages_show_them() -> None:
    for page, text in findings.pages(ROOT).items():
        assert page.read_text(encoding="utf-8") == text, f"{page}: python scripts/findings.py writes it"


def test_every_number_of_the_findings_is_in_a_table() -> None:
    page = (ROOT / "docs/findings.md").read_text(encoding="utf-8")
    text = page[: page.index("<!-- findings -->")] + page[page.index("<!-- end -->") :]
    files = [*ROOT.glob("examples/*/results/**/*.md"), *ROOT.glob("examples/*/README.md")]
    tables = "\n".join(file.read_text(encoding="utf-8") for file in files)
    sections = re.compile(r"\((?:sections?|table) [^)]*\)|`[^`]*`|[Tt]able \d[\d.]*|A\.3\.2")
    numbers = set(re.findall(r"\d+\.\d+", sections.sub("", text)))
    assert len(numbers) > 10
    assert {number for number in numbers if not re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", tables)} == set()


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*/claims.yaml")), ids=lambda file: file.parts[-2])
def test_claims_are_about_rows_of_the_works_tables(file: Path) -> None:
    content = yaml.safe_load(file.read_text())
    for claim in content["claims"]:
        found = findings.Claim.read(file.parent, content["corpora"], claim)
        number = found.their_number()  # that the work has such rows
        assert number == findings.ABSENT or re.fullmatch(r"[+−]\d+\.\d", number)


def write_run(folder: Path, like: Path, more: float, only: Sequence[str] = ()) -> None:
    """A run whose scores are those of another and so much more."""
    content = json.loads(like.read_text())
    for name in [name for name in content["corpora"] if only and name not in only]:
        del content["corpora"][name]
    for score in content["corpora"].values():
        score["value"] += more
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(json.dumps(content))


def test_runs_that_come_later_need_nothing_else(tmp_path: Path) -> None:
    """Two of three, then all; in a folder of other settings too; scores of some corpora."""
    results = copied(ROOT / "examples/ca_mtl", tmp_path)
    like = results / "glue/ca_mtl-uniform"
    for there in ("glue/ca_mtl-uncertainty", "without_stsb_wnli"):
        shutil.rmtree(results / there)

    def add(name: str, seed: int, more: float, only: Sequence[str] = ()) -> None:
        write_run(results / f"{name}/seed{seed}/joint", like / f"seed{seed}/joint/results.json", more, only)

    def row() -> tuple[str, str]:
        (line,) = (line for line in findings.make_table(tmp_path / "examples").splitlines() if "over drawing" in line)
        return tuple(line.split(" | ")[3:])  # type: ignore[return-value]

    assert row() == ("–", "not measured |")
    for seed in (12, 14):
        add("glue/ca_mtl-uncertainty", seed, 0.01)
    assert "no results yet: dense, proportional" in make_tables(results)
    lines = (results / "compare.md").read_text().splitlines()
    (ours,) = (line for line in lines if line.startswith("| + uncertainty sampling |"))
    assert ours.endswith("(2 runs) |") and "2 of + uncertainty sampling" in lines[-1]
    assert row() == ("+1.0 [+1.0, +1.0] p <0.001, 2 runs, 8 corpora", "undecided: 2 runs |")
    add("glue/ca_mtl-uncertainty", 13, 0.01)
    assert row() == ("+1.0 [+1.0, +1.0] p <0.001, 3 runs, 8 corpora", "**confirmed** |")
    for seed in (12, 13, 14):
        add("longer/glue/ca_mtl-uniform", seed, 0.0)
        add("longer/glue/ca_mtl-uncertainty", seed, -0.02, ["rte", "mrpc"])
    make_tables(results)
    assert "(2 runs)" not in (results / "compare.md").read_text()
    longer = (results / "longer/compare.md").read_text()
    assert "all − + alignment and norm" in longer and "−2.0 [−2.0, −2.0] p <0.001 (2 corpora) |" in longer
    table = findings.make_table(tmp_path / "examples")
    assert "| `longer`: −2.0 [−2.0, −2.0] p <0.001, 3 runs, 2 of 8 corpora | **reversed** so far |" in table


def test_a_claim_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "results/table8").mkdir(parents=True)
    difference = {"mean": 0.01, "low": -0.01, "high": 0.03, "runs": 3, "corpora": 2}
    (tmp_path / "results/table8/table.json").write_text(
        json.dumps({"rows": {"a": {"differences": {"all": difference}}}})
    )
    claim = {"claim": "x", "expected": "more", "row": "a", "baseline": "b", "table": "table8/table.json"}
    found = findings.Claim.read(tmp_path, 2, claim)
    ((_, measured, corpora),) = found.measured()
    assert found.verdict(measured, corpora) == "not confirmed"
    with pytest.raises(findings.InputError, match="'better': expected one of more, less, open"):
        findings.Claim.read(tmp_path, 2, {**claim, "expected": "better"})
