"""What the benchmarks share: two steps measured in turns in one process, and the figures that come of it."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from skill_plugin.files.json_file import write_json


def seconds_of(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def compare(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    rounds: int,
    clock: Callable[[Callable[[], object]], float] = seconds_of,
) -> dict[str, Any]:
    """Median of the rounds' ratios of seconds; a round measures both, one right after the other, in changing order."""
    steps = (ours, theirs)
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        for which in (0, 1) if number % 2 else (1, 0):
            seconds = clock(steps[which])
            if number:  # the first round warms up
                times[which].append(seconds)
    return {
        "ratio": statistics.median(a / b for a, b in zip(*times, strict=True)),
        "seconds": statistics.median(times[0]),
        "seconds_compared": statistics.median(times[1]),
    }


class Figures:
    """Prints each ratio as it comes, and keeps all of them with the machine's description.

    Args:
        more: what else the file says.
    """

    def __init__(self, **more: Any) -> None:
        machine = {
            "torch": torch.__version__,
            "threads": torch.get_num_threads(),
            "cpu": platform.processor() or platform.machine(),
            "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        }
        self._content: dict[str, Any] = {"machine": machine, **more, "ratios": {}, "details": {}}

    def add(self, name: str, details: dict[str, Any], shown: str = "", width: int = 28) -> None:
        """A measurement whose details have a ``ratio``; ``shown`` stands behind it."""
        self._content["ratios"][name] = round(details["ratio"], 3)
        self._content["details"][name] = details
        print(f"{name:{width}} {details['ratio']:6.3f}   {shown}".rstrip(), flush=True)

    def __bool__(self) -> bool:
        """Whether something was measured."""
        return bool(self._content["ratios"])

    def write(self, file: Path | None) -> None:
        """Writes all of it as JSON, where a file is given."""
        if file is not None:
            write_json(file, self._content)
