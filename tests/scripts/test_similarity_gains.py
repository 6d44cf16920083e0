"""Gains over single models by covariance similarity, against numbers computed by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests import warm_process

SCRIPT = Path(__file__).parents[2] / "scripts/similarity_gains.py"


def results(folder: Path, **scores: float) -> None:
    folder.mkdir(parents=True)
    corpora = {
        name: {"language": "en", "kind": "classification", "metric": "accuracy", "value": value, "n": 10}
        for name, value in scores.items()
    }
    content = {"split": "valid", "corpora": corpora, "avg": 0.5, "by_language": {"en": 0.5}}
    (folder / "results.json").write_text(json.dumps(content))


def covariance(file: Path, **means: dict[str, float]) -> None:
    file.write_text(json.dumps({"models": {title: {"mean": mean} for title, mean in means.items()}}))


def call(*arguments: object) -> tuple[int, str, str]:
    done = warm_process.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_gains_are_of_means_over_runs(tmp_path: Path) -> None:
    results(tmp_path / "single/seed1/rte", rte=0.5)
    results(tmp_path / "single/seed1/cola", cola=0.0)
    results(tmp_path / "single/seed2/rte", rte=0.7)
    results(tmp_path / "single/seed2/cola", cola=0.0)
    for seed, score in (("seed1", 0.6), ("seed2", 0.9)):
        results(tmp_path / "dense" / seed, rte=score, cola=0.4)
        results(tmp_path / "ca_mtl" / seed, rte=0.54, cola=0.5, wnli=0.5)
    single = {"rte": 0.75, "cola": 0.5}
    covariance(tmp_path / "dense.json", single=single, after={"rte": 0.8, "cola": 0.625})
    covariance(
        tmp_path / "ca_mtl.json", single=single, before={"rte": 0.1, "cola": 0.1}, after={"rte": 0.9, "cola": 0.7}
    )
    rows = [f"{name}:{tmp_path}/{name}.json={tmp_path}/{name}/seed*" for name in ("dense", "ca_mtl")]
    files = ("--plot", tmp_path / "gains.png", "--markdown", tmp_path / "gains.md")
    status, out, err = call(*rows, "--single", f"{tmp_path}/single/seed*", *files)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "|  | similarity, single | similarity, dense | gain, dense | similarity, ca_mtl | gain, ca_mtl |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        "| rte | 75.0 | 80.0 | +25.0 | 90.0 | -10.0 |",
        "| cola | 50.0 | 62.5 | – | 70.0 | – |",
    ]
    assert (tmp_path / "gains.md").read_text() == out
    assert (tmp_path / "gains.png").read_bytes().startswith(b"\x89PNG")
    covariance(tmp_path / "dense.json", before=single, after=single)
    status, out, err = call(*rows, "--single", f"{tmp_path}/single/seed*")
    assert (status, out) == (1, "") and "dense.json: expected what `skill-plugin analyse covariance --single" in err
