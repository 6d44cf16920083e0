"""How long updates take in a training run, and what the device does in them: what programs that train write down."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

ON_DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}
ON_HOST = {"cuda_runtime", "cuda_driver"}


class UpdateClock:
    """Is told when an update begins.

    Args:
        warm: updates before those that are timed.
        timed: updates that are timed.
        profiled: updates after those that are profiled; 0 for none. A last one after them ends the run.
    """

    def __init__(self, warm: int, timed: int, profiled: int) -> None:
        self._first, self._last = warm, warm + timed
        self._end = self._last + profiled
        self._number, self._begun = 0, [0.0]
        self._profiler: profile | None = None
        self._report: dict[str, Any] = {}

    @property
    def updates(self) -> int:
        """How many a run needs to have."""
        return self._end + 1

    def begin(self) -> dict[str, Any] | None:
        """An update begins. What was found, once all is over: seconds, and by update what the device did."""
        number, self._number = self._number, self._number + 1
        if number == self._first:
            _wait()
            self._begun = [time.perf_counter()]
        elif self._first < number <= self._last:
            if number == self._last:
                _wait()
            self._begun.append(time.perf_counter())
        if number == self._last:
            self._read_clock()
            if self._end > self._last:
                self._profiler = profile(activities=[_activity()])
                self._profiler.__enter__()
        if number < self._end:
            return None
        if self._profiler is not None:
            _wait()
            self._profiler.__exit__(None, None, None)
            self._report |= {"profile": read_profile(self._profiler, self._end - self._last)}
        return self._report

    def is_timed(self) -> bool:
        """Whether the update that has begun last is one of those that are timed."""
        return self._first < self._number <= self._last

    def _read_clock(self) -> None:
        steps = [after - before for before, after in zip(self._begun, self._begun[1:], strict=False)]
        self._report = {
            "median_seconds": statistics.median(steps),
            "mean_seconds": (self._begun[-1] - self._begun[0]) / len(steps),
            "updates": len(steps),
        }
        if torch.cuda.is_available():
            self._report["peak_bytes"] = torch.cuda.max_memory_allocated()


def _wait() -> None:
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _activity() -> ProfilerActivity:
    """Without a GPU the operations of the CPU stand for its kernels."""
    return ProfilerActivity.CUDA if torch.cuda.is_available() else ProfilerActivity.CPU


def read_profile(profiler: profile, updates: int) -> dict[str, Any]:
    """By update: seconds in which the device was busy, kernels, calls of the host that launch, copies; and the kernels
    that take the most of it."""
    with tempfile.TemporaryDirectory() as folder:
        profiler.export_chrome_trace(f"{folder}/trace.json")
        events = json.loads(Path(folder, "trace.json").read_text(encoding="utf-8", errors="replace"))["traceEvents"]
    spans = [event for event in events if event.get("ph") == "X"]
    gpu = any(event.get("cat") in ON_DEVICE for event in spans)
    busy = [event for event in spans if event.get("cat") in (ON_DEVICE if gpu else {"cpu_op"})]
    kernels = [event for event in busy if not gpu or event["cat"] == "kernel"]
    calls = [event["name"] for event in spans if event.get("cat") in ON_HOST]
    times: Counter[str] = Counter()
    for event in kernels:
        times[event["name"][:80]] += event["dur"]
    return {
        "busy_seconds": union((event["ts"], event["ts"] + event["dur"]) for event in busy) / 1e6 / updates,
        "kernels": len(kernels) / updates,
        "launches": sum("Launch" in name for name in calls) / updates,
        "copies": sum("emcpy" in name for name in calls) / updates,
        "most_ms": {name: time / 1e3 / updates for name, time in times.most_common(8)},
    }


def union(spans: Iterable[tuple[float, float]]) -> float:
    """How much of the line some spans ``(start, end)`` cover together."""
    covered, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        covered += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return covered
