"""Two steps timed in turns in one process, so that what else changes on the machine changes both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from measures.figure import Figure, Reach

Step = Callable[[], object]
LONG = 6.0  # seconds of a comparison


def seconds_of(step: Step) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def until_idle(step: Step) -> float:
    """Seconds from an idle GPU to an idle GPU, which counts what the host needs to launch the kernels as well."""
    start = time.perf_counter()
    step()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def on_device(step: Step) -> float:
    """Seconds that the GPU works on a step that was queued in full before it began, as within a deep network."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(20_000_000)  # about 10 ms, in which the host gets ahead
    start.record()
    step()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1e3


def clock_of(device: str) -> Callable[[Step], float]:
    """The one that counts all that a step takes."""
    return until_idle if device == "cuda" else seconds_of


@dataclass(frozen=True)
class Comparison:
    """Medians over rounds.

    Attributes:
        ratio: of both, round by round.
        ours, theirs: seconds.
    """

    ratio: float
    ours: float
    theirs: float

    def figure(self, what: str, reach: Reach | None = None, name: str = "") -> Figure:
        """The ratio, and the milliseconds of both."""
        details = {"ms": self.ours * 1e3, "compared_ms": self.theirs * 1e3}
        return Figure(self.ratio, what, reach, name, details=details)


def compare(ours: Step, theirs: Step, rounds: int | None, clock: Callable[[Step], float] = seconds_of) -> Comparison:
    """A round measures both, one right after the other, in changing order; one before the first warms up.

    Args:
        ours, theirs: the steps.
        rounds: how many, or None for as many as take some seconds, 3 to 31.
        clock: what measures a step.
    """
    steps = (ours, theirs)
    times: tuple[list[float], list[float]] = ([], [])
    warming = sum(map(clock, steps))
    for number in range(rounds or min(31, max(3, int(LONG / warming)))):
        for which in (0, 1) if number % 2 else (1, 0):
            times[which].append(clock(steps[which]))
    ratio = statistics.median(a / b for a, b in zip(*times, strict=True))
    return Comparison(ratio, statistics.median(times[0]), statistics.median(times[1]))
