"""Sentences a second of whole runs of mT5, over those of transformers' Seq2SeqTrainer, which pads.

Both train an mT5 of random weights with Adafactor on the same texts, in turns: on the CPU in float32 on four corpora of
GLUE, on a GPU of the size small with 250,000 pieces in bfloat16 on eight, batches of 16 (ours of one corpus) and of 128
(ours of 8 draws of 16, as the thesis's).
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from measures.asked import Asked, Cases
from measures.figure import Figure, at_least
from measures.glue import GLUE
from measures.made_data import text_to_text_data
from measures.runs import Programs, train_job
from measures.training import FOUR, clock_for, run_other

THESIS = ("--optimizer", "adafactor", "--lr", "1e-3", "--lr-scheduler", "fixed", "--clip-norm", "0")


def over(asked: Asked, draws: int, programs: Programs) -> Iterator[Figure]:
    """Batches of so many draws of 16, against as many sentences drawn from all texts."""
    names = tuple(GLUE) if asked.device == "cuda" else FOUR
    asked = replace(asked, size=asked.size or "small")
    data, clock, batch = text_to_text_data(asked).of(names), clock_for(asked), 2 if asked.tiny else 16
    ours, theirs = [], []
    for _ in range(asked.rounds_or(1)):
        report = programs.run(train_job(asked, data, "mt5", draws, clock, batch, options=THESIS))
        ours.append((report["sentences"] / report["updates"] / report["mean_seconds"], report))
        other = run_other(asked, "seq2seq", data, batch * draws, clock)
        theirs.append((batch * draws / other["mean_seconds"], other))
    yield Figure(
        statistics.median(a / b for (a, _), (b, _) in zip(ours, theirs, strict=True)),
        f"training mT5, {batch * draws} sentences a batch, over transformers' Seq2SeqTrainer: sentences a second",
        at_least(2) if asked.device == "cuda" else None,
        details={
            "sentences_per_s": statistics.median(speed for speed, _ in ours),
            "compared_sentences_per_s": statistics.median(speed for speed, _ in theirs),
            "peak_GB": ours[0][1].get("peak_bytes", 0) / 1e9,
            "compared_peak_GB": theirs[0][1].get("peak_bytes", 0) / 1e9,
        },
    )


def cases(asked: Asked) -> Cases:
    programs = Programs(ahead=False)
    return {
        f"text-to-text/{16 * draws}": partial(over, asked, draws, programs)
        for draws in ((1, 8) if asked.device == "cuda" else (1,))
    }
