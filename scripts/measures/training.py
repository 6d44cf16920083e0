"""Sentences a second of whole runs of ``fairseq-train``, over those of transformers' Trainer with dynamic padding.

Both train a dense model of random weights on the same texts, in turns: on the CPU 6 layers of 384 in float32 on four
corpora of GLUE, 16 sentences a batch; on a GPU 12 of 768 in bfloat16 on eight corpora, batches of 16 (ours of one
corpus) and of 128 (ours of 8 draws of 16).
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from measures.asked import Asked, Cases
from measures.figure import Figure, at_least
from measures.glue import GLUE
from measures.made_data import Data, data_of
from measures.runs import Clock, Programs, run_program, train_job

FOUR = ("sst2", "cola", "mrpc", "rte")
REACHES = {"cpu": at_least(2.5), "cuda": at_least(3)}


def clock_for(asked: Asked) -> Clock:
    return Clock(1, 3) if asked.tiny else Clock(20, 100) if asked.device == "cuda" else Clock(3, 30)


def over_trainer(asked: Asked, corpora: int, programs: Programs) -> Iterator[Figure]:
    """Batches of so many draws of 16, against as many sentences drawn from all texts."""
    names = tuple(GLUE) if asked.device == "cuda" else FOUR
    data, clock, batch = data_of(asked).of(names), clock_for(asked), 2 if asked.tiny else 16
    speeds: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(asked.rounds_or(1)):
        ours = programs.run(train_job(asked, data, "dense", corpora, clock, batch))
        speeds["ours"].append(ours["sentences"] / ours["updates"] / ours["mean_seconds"])
        theirs = run_trainer(asked, data, batch * corpora, clock)
        speeds["theirs"].append(batch * corpora / theirs["mean_seconds"])
    rates = {name: statistics.median(found) for name, found in speeds.items()}
    yield Figure(
        statistics.median(a / b for a, b in zip(*speeds.values(), strict=True)),
        f"training a dense model, {batch * corpora} sentences a batch, over transformers' Trainer: sentences a second",
        REACHES[asked.device],
        details={"sentences_per_s": rates["ours"], "trainer_sentences_per_s": rates["theirs"]},
    )


def run_trainer(asked: Asked, data: Data, batch: int, clock: Clock) -> dict[str, Any]:
    """Report of a run of transformers' Trainer."""
    size = "tiny" if asked.tiny else "base" if asked.device == "cuda" else "small"
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [
            sys.executable, str(Path(__file__).with_name("trainer_program.py")), str(data.folder), str(report),
            "--corpora", ",".join(data.only), "--batch", str(batch), "--size", size,
            "--clock", f"{clock.warm},{clock.timed},{clock.profiled}",
        ]  # fmt: skip
        if asked.device != "cuda":
            return run_program(command, report)
        return run_program([*command, "--cuda"], report, CUDA_VISIBLE_DEVICES="0")  # it would take all there are


def cases(asked: Asked) -> Cases:
    gpu, programs = asked.device == "cuda", Programs(ahead=False)
    return {
        f"training/{16 * corpora}": partial(over_trainer, asked, corpora, programs)
        for corpora in ((1, 8) if gpu else (1,))
    }
