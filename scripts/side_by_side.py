"""What the benchmarks share: two steps measured in turns in one process, their command line, and the figures."""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from skill_plugin.files.json_file import write_json

Step = Callable[[], object]
Figures = dict[str, Any]  # of a measurement: its "ratio", and what that is made of


def seconds_of(step: Step) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def compare(ours: Step, theirs: Step, rounds: int, clock: Callable[[Step], float] = seconds_of) -> Figures:
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


def milliseconds(figures: Figures, compared: str, steps: int = 1) -> str:
    """Both times of ``compare``, of one of so many steps; ``compared`` says what the other one is."""
    ours, theirs = (figures[key] / steps * 1e3 for key in ("seconds", "seconds_compared"))
    return f"{ours:9.3f} ms, {compared} {theirs:9.3f} ms"


def make_parser(description: str, rounds: int) -> argparse.ArgumentParser:
    """The options that all benchmarks have.

    Args:
        description: the script's docstring.
        rounds: by default.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="what is measured: names, or how they begin")
    parser.add_argument("--rounds", type=int, default=rounds, help=f"of each measurement (default: {rounds})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to this file")
    return parser


def measure_all(
    parser: argparse.ArgumentParser,
    asked: argparse.Namespace,
    measurements: Mapping[str, Callable[[], Figures]],
    show: Callable[[Figures], str] = lambda figures: "",
    **more: Any,
) -> None:
    """Makes the measurements that are asked for, prints each ratio as it comes, and writes all figures as JSON.

    Args:
        parser, asked: of ``make_parser``.
        measurements: by name.
        show: what stands behind the ratio.
        more: what else the file says, beside the machine's description.
    """
    chosen = [name for name in measurements if any(map(name.startswith, asked.only or [""]))]
    if not chosen:
        parser.error(f"nothing to measure; known: {', '.join(measurements)}")
    figures = {}
    for name in chosen:
        figures[name] = measurements[name]()
        line = f"{name:{max(map(len, chosen))}} {figures[name]['ratio']:6.3f}   {show(figures[name])}"
        print(line.rstrip(), flush=True)
    if asked.json is not None:
        machine = {
            "torch": torch.__version__,
            "threads": torch.get_num_threads(),
            "cpu": platform.processor() or platform.machine(),
            "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        }
        ratios = {name: round(each["ratio"], 3) for name, each in figures.items()}
        write_json(asked.json, {"machine": machine, **more, "ratios": ratios, "details": figures})
