"""Plans two epochs and writes how long that took and how much memory this process needed: see ``plan.py``."""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skill_plugin.sampling.epoch_plan import EpochPlan, EpochStart
from skill_plugin.sampling.plan import Planner
from skill_plugin.sampling.sampler import Sampler

LATER = 20  # the number of the later epoch
LAST = 10_000  # batches at the end of an epoch, for which all passes of all corpora must have been drawn


def draw_lengths(random: np.random.Generator, examples: int) -> NDArray[np.int64]:
    """Tokens of short texts, log-normal about 25, at most 128."""
    return np.clip(np.exp(random.normal(3.1, 0.5, examples)) + 3, 4, 128).astype(np.int64)


def whole_plan(planner: Planner, epoch: int, known: EpochStart | None = None) -> EpochPlan:
    """A plan of which everything is drawn, though a run draws a pass when it comes to it."""
    plan = planner.plan(epoch, known)
    for _ in plan[-LAST:]:
        pass
    assert plan.following.epoch == epoch + 1
    return plan


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text())
    random = np.random.default_rng(0)
    lengths = [draw_lengths(random, job["examples"] // job["corpora"]) for _ in range(job["corpora"])]
    planner = Planner(lengths, Sampler("proportional"), job["batch_size"], job["max_tokens"], seed=1)
    started = time.perf_counter()
    plan = whole_plan(planner, 1)
    first = time.perf_counter() - started
    # the place in its pass that the second epoch begins with, so many passes later
    places = zip(plan.following.examples, lengths, strict=True)
    examples = tuple(place + (LATER - 2) * len(one) for place, one in places)
    known, draws = replace(plan.following, epoch=LATER, examples=examples), len(plan)
    del plan
    started = time.perf_counter()
    whole_plan(planner, LATER, known)
    later = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = {"first_s": first, "later_s": later, "peak_GB": peak * 1024 / 1e9, "draws": draws}
    Path(job["report"]).write_text(json.dumps(report))


if __name__ == "__main__":
    main()
