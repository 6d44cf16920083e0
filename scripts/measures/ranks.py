"""Sentences a second of two processes over one, each with the same batch: 8 draws of 16 sentences.

Runs of ``fairseq-train``, started by ``--distributed-world-size 2`` and by torchrun, with each of the two backends that
add up gradients. On the CPU the processes meet over gloo and share the cores, and no ratio is asked; on GPUs each has
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from measures.asked import Asked, Cases
from measures.figure import Figure, at_least
from measures.made_data import data_of
from measures.runs import Clock, Programs, train_job

LAUNCHERS = {"spawned": False, "torchrun": True}
BACKENDS = ("pytorch_ddp", "legacy_ddp")


class Ranks:
    """Runs of one process and of two."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.gpu = asked.device == "cuda"
        self._programs = Programs(ahead=False)
        self._alone: dict[str, dict[str, Any]] = {}

    def report(self, variant: str, processes: int, torchrun: bool = False, *options: str) -> dict[str, Any]:
        """What a run gave, and the sentences a second of all its processes, by the median of updates."""
        # each size of packs is recorded for a GPU when it is first met
        clock = Clock(1, 3) if self.asked.tiny else Clock(150, 100, 10) if self.gpu else Clock(2, 8)
        batch = 2 if self.asked.tiny else 16
        job = train_job(
            self.asked, data_of(self.asked), variant, 8, clock, batch, processes=processes,
            options=options,
        )  # fmt: skip
        report = self._programs.torchrun(job, processes) if torchrun else self._programs.run(job)
        return {**report, "rate": processes * report["sentences"] / report["updates"] / report["median_seconds"]}

    def alone(self, variant: str) -> dict[str, Any]:
        """That of one process."""
        if variant not in self._alone:
            self._alone[variant] = self.report(variant, 1)
        return self._alone[variant]


def two_over_one(ranks: Ranks, variant: str, launcher: str, backend: str) -> Iterator[Figure]:
    """Both, one after the other."""
    one = ranks.alone(variant)
    two = ranks.report(variant, 2, LAUNCHERS[launcher], "--ddp-backend", backend)
    details = {"sentences_per_s": two["rate"], "one_process_sentences_per_s": one["rate"]}
    for name, found in (("", two), ("one_process_", one)):
        details |= {f"{name}ms": found["median_seconds"] * 1e3, f"{name}mean_ms": found["mean_seconds"] * 1e3}
        if "profile" in found:  # of the first process
            details[f"{name}busy_ms"] = found["profile"]["busy_seconds"] * 1e3
            details[f"{name}most_ms"] = found["profile"]["most_ms"]
    yield Figure(
        two["rate"] / one["rate"],
        f"`{variant}`, 8×16 sentences a process: two processes over one, {launcher}, `{backend}`: "
        "sentences a second, by medians",
        at_least(1.85) if ranks.gpu else None,
        details=details,
    )


def cases(asked: Asked) -> Cases:
    import torch

    if asked.device == "cuda" and torch.cuda.device_count() < 2:
        return {}
    ranks = Ranks(asked)
    return {
        f"ranks/{variant}/{launcher}/{backend}": partial(two_over_one, ranks, variant, launcher, backend)
        for variant in asked.variants or ("dense", "skillnet_x_ffn_mha")
        for launcher in LAUNCHERS
        for backend in BACKENDS
    }
