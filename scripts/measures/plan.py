"""Planning an epoch of 100 million examples, in a process of its own: seconds, and the peak of its memory.

All passes are drawn, which a run does one by one as it comes to them; the lengths of examples are part of that. With
``tokens``, --max-tokens cuts the batches, so that how many examples a draw takes depends on their order; with
``batch-size`` all but the last of a pass have equally many.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from measures.asked import Asked, Cases
from measures.figure import Figure, at_most
from measures.runs import run_program

PROGRAM = str(Path(__file__).with_name("plan_program.py"))
BATCH_SIZE, MAX_TOKENS = 32, 512
CASES = {"tokens": (25, MAX_TOKENS), "batch-size": (25, None), "10": (10, None), "50": (50, None), "200": (200, None)}


def plan(asked: Asked, corpora: int, max_tokens: int | None) -> Iterator[Figure]:
    """The first epoch, and the 20th from where it begins, as a checkpoint says it."""
    examples = 100_000 if asked.tiny else 100_000_000
    with tempfile.TemporaryDirectory() as folder:
        file, report = Path(folder, "job.json"), Path(folder, "report.json")
        job = {"examples": examples, "corpora": corpora, "batch_size": BATCH_SIZE, "max_tokens": max_tokens}
        file.write_text(json.dumps({**job, "report": str(report)}))
        found = run_program([sys.executable, PROGRAM, str(file)], report)
    what = f"planning {examples:,} examples of {corpora} corpora"
    details = {"draws": found["draws"]}
    yield Figure(found["first_s"], f"{what}: the first epoch", at_most(20), "first", "s", details)
    yield Figure(found["later_s"], f"{what}: the 20th epoch", at_most(20), "twentieth", "s", details)
    yield Figure(found["peak_GB"], f"{what}: memory of the process", at_most(4), "memory", "GB", details)


def cases(asked: Asked) -> Cases:
    return {f"plan/{name}": partial(plan, asked, *how) for name, how in CASES.items()}
