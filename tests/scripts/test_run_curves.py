"""The course of runs from their logs: means over seeds at updates that all of them have."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests import warm_process

SCRIPT = Path(__file__).parents[2] / "scripts/run_curves.py"


def write(folder: Path, *lines: tuple[str, int, dict[str, float]]) -> None:
    folder.mkdir(parents=True)
    text = [{"event": event, "update": update, "epoch": 1, "seconds": 1.0, "values": values,
             **({"subset": "valid"} if event == "valid" else {})} for event, update, values in lines]  # fmt: skip
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in text))


def call(*arguments: object) -> tuple[int, str, str]:
    done = warm_process.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_means_at_updates_that_all_runs_have(tmp_path: Path) -> None:
    write(tmp_path / "a/seed1", ("train", 10, {"cola/entropy": 0.5}), ("valid", 10, {"cola/mcc": 0.2, "avg": 0.4}),
          ("valid", 20, {"cola/mcc": 0.6, "avg": 0.8}), ("valid", 25, {"avg": 0.9}))  # fmt: skip
    write(tmp_path / "a/seed2", ("valid", 10, {"avg": 0.6}), ("valid", 20, {"avg": 1.0}))
    write(tmp_path / "b", ("valid", 12, {"avg": 0.5}), ("valid", 19, {"avg": 0.7}))
    rows = (f"a={tmp_path}/a/seed*", f"b={tmp_path}/b")
    plot, page = tmp_path / "plot.png", tmp_path / "table.md"
    status, out, err = call(*rows, "--values", "avg", "--plot", plot, "--markdown", page)
    assert (status, err) == (0, "")
    assert out.splitlines()[:4] == [
        "| avg, after updates | 10 | 12 | 19 | 20 |", "| --- | ---: | ---: | ---: | ---: |",
        "| a | 0.5 | – | – | 0.9 |", "| b | – | 0.5 | 0.7 | – |",
    ]  # fmt: skip
    assert page.read_text() == out and plot.read_bytes().startswith(b"\x89PNG")
    status, out, _ = call(f"b={tmp_path}/b", "--values", "avg", "--every", "10")
    assert out.splitlines()[2] == "| b | 0.7 |"  # the last in each ten
    status, out, _ = call(f"a={tmp_path}/a/seed1", "--values", "cola_mcc,cola_entropy")
    assert out.count("cola_") == 2 and "| a | 0.5 |" in out
    status, out, err = call(*rows, "--values", "average")
    assert (status, out) == (1, "") and "'average' was not logged" in err and err.count("\n") == 1
