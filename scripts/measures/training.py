"""Sentences a second of whole runs of ``fairseq-train``, over those of transformers' Trainer and of tasknet.

Both pad a batch to its longest sentence. All train a dense model of random weights on the same texts, in turns: on the
CPU 6 layers of 384 in float32 on four corpora of GLUE, 16 sentences a batch; on a GPU 12 of 768 in bfloat16 on eight
corpora, batches of 16 (ours of one corpus) and of 128 (ours of 8 draws of 16).
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from measures.asked import ROOT, Asked, Cases
from measures.figure import Figure, at_least
from measures.glue import GLUE
from measures.made_data import Data, data_of
from measures.runs import Clock, FailedRunError, Programs, run_program, train_job

FOUR = ("sst2", "cola", "mrpc", "rte")
REACHES = {
    ("trainer", "cpu"): at_least(2.5),
    ("trainer", "cuda"): at_least(3),
    ("tasknet", "cpu"): at_least(3),
}
NAMES = {"trainer": "transformers' Trainer", "tasknet": "tasknet"}


def clock_for(asked: Asked) -> Clock:
    """Some updates of a run."""
    return Clock(1, 3) if asked.tiny else Clock(20, 100) if asked.device == "cuda" else Clock(3, 20)


def over(asked: Asked, corpora: int, programs: Programs, other: str) -> Iterator[Figure]:
    """Batches of so many draws of 16, against as many sentences drawn from all texts."""
    names = tuple(GLUE) if asked.device == "cuda" else FOUR
    data, clock, batch = data_of(asked).of(names), clock_for(asked), 2 if asked.tiny else 16
    speeds: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(asked.rounds_or(1)):
        ours = programs.run(train_job(asked, data, "dense", corpora, clock, batch))
        speeds["ours"].append(ours["sentences"] / ours["updates"] / ours["mean_seconds"])
        theirs = run_other(asked, other, data, batch * corpora, clock)
        speeds["theirs"].append(batch * corpora / theirs["mean_seconds"])
    rates = {name: statistics.median(found) for name, found in speeds.items()}
    yield Figure(
        statistics.median(a / b for a, b in zip(*speeds.values(), strict=True)),
        f"training a dense model, {batch * corpora} sentences a batch, over {NAMES[other]}: sentences a second",
        REACHES.get((other, asked.device)),
        details={"sentences_per_s": rates["ours"], "compared_sentences_per_s": rates["theirs"]},
    )


def run_other(asked: Asked, other: str, data: Data, batch: int, clock: Clock) -> dict[str, Any]:
    """Report of a run of another program."""
    python = tasknet_environment() if other == "tasknet" else sys.executable
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [
            python, str(Path(__file__).with_name(f"{other}_program.py")), str(data.folder), str(report),
            "--corpora", ",".join(data.only), "--batch", str(batch), "--size", asked.model_size,
            "--clock", f"{clock.warm},{clock.timed},{clock.profiled}",
        ]  # fmt: skip
        if asked.device != "cuda":
            return run_program(command, report)
        return run_program([*command, "--cuda"], report, CUDA_VISIBLE_DEVICES="0")  # it would take all there are


def tasknet_environment() -> str:
    """The interpreter of an environment with tasknet, which is made where there is none.

    Raises:
        FailedRunError: it cannot be installed.
    """
    folder = ROOT / ".venv-tasknet"
    python = str(folder / "bin" / "python")
    if not (folder / "ready").exists():
        print(f"making {folder.name}", file=sys.stderr)
        pip = [python, "-m", "pip", "-q", "--disable-pip-version-check", "install", "-c", str(ROOT / "constraints.txt")]
        for command in ([sys.executable, "-m", "venv", "--clear", str(folder)], [*pip, "torch"], [*pip, "tasknet"]):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode:
                raise FailedRunError(f"{' '.join(command)}\n{done.stdout[-2000:]}")
        (folder / "ready").touch()
    return python


def cases(asked: Asked) -> Cases:
    gpu, programs = asked.device == "cuda", Programs(ahead=False)
    draws = (1, 8) if gpu else (1,)
    found: Cases = {f"training/{16 * number}": partial(over, asked, number, programs, "trainer") for number in draws}
    return found | {"training/tasknet": partial(over, asked, 1, programs, "tasknet")}
