"""A training step with 10, 50 and 200 skills in the model, of which 3 are active: its time, and the memory it needs.

The same 16 sentences of one corpus, with the optimizer and the clipping of a run; skills are in the two top layers. The
memory is what a step needs at most, beyond parameters and what the optimizer keeps.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from functools import cache, partial
from itertools import accumulate
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

from measures.asked import Asked, Cases
from measures.figure import Figure, at_most
from measures.timing import Step, compare
from measures.whole_model import WholeModel

FEWEST, MORE = 10, (50, 200)


class Bank:
    """A model of so many skills, and a step of it."""

    def __init__(self, asked: Asked, skills: int) -> None:
        self.whole = WholeModel(asked, "skillnet_x_ffn_mha", skills=skills, skill_layers=2)
        self.sample = self.whole.sample([self.whole.segment("mnli", 2 if asked.tiny else 16)])

    def step(self) -> None:
        """Gradients are left, as a run leaves them until its next update."""
        self.whole.update(self.sample)

    def peak_bytes(self) -> int:
        """What a step needs at most, beyond what is there before it."""
        self.whole.optimizer.zero_grad()
        if not self.whole.gpu:
            return _peak_on_cpu(self.step)
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        self.step()
        torch.cuda.synchronize()
        return torch.cuda.max_memory_allocated() - before


def _peak_on_cpu(step: Step) -> int:
    """The highest sum of what was allocated and freed by then, as the profiler saw it."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        step()
    with tempfile.TemporaryDirectory() as folder:
        profiler.export_chrome_trace(f"{folder}/trace.json")
        events = json.loads(Path(folder, "trace.json").read_text())["traceEvents"]
    memory = sorted((event["ts"], event["args"]["Bytes"]) for event in events if event.get("name") == "[memory]")
    return max(accumulate(size for _, size in memory))


def over_fewest(asked: Asked, fewest: Bank, skills: int) -> Iterator[Figure]:
    """More skills over the fewest."""
    more = Bank(asked, skills)
    what = f"{skills} skills in the model over {FEWEST}, 3 of them active"
    compared = compare(more.step, fewest.step, asked.comparisons, more.whole.clock)
    yield compared.figure(f"{what}: time of a step", at_most(1.05), "time")
    ours, theirs = more.peak_bytes(), fewest.peak_bytes()
    details = {"MB": ours / 1e6, "compared_MB": theirs / 1e6}
    what += ": memory beyond parameters and the optimizer's state"
    yield Figure(ours / theirs, what, at_most(1.02), "memory", details=details)


def cases(asked: Asked) -> Cases:
    @cache
    def fewest() -> Bank:
        return Bank(asked, FEWEST)

    return {
        f"skills-bank/{skills}": partial(lambda skills: over_fewest(asked, fewest(), skills), skills) for skills in MORE
    }
