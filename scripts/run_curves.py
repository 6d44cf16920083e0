#!/usr/bin/env python3
"""The course of several models over training, from the log.jsonl of their runs: a plot, and the means over seeds.

    python scripts/run_curves.py NAME=PATTERN… --values avg,cola_mcc [--subset valid] [--every N] [--plot F.png]
        [--markdown F]

A row is a NAME with a PATTERN of folders of runs (``*`` and ``**`` as in a shell, quoted so that the shell leaves it
alone), each with a seed of its own. A value is looked for among what validation logged, and else among what training
logged: a score, as it is shown in the log, or a number such as ``cola_entropy`` of ``--sampling uncertainty``.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from skill_plugin.errors import InputError, nearest
from skill_plugin.files.distinct_files import check_distinct
from skill_plugin.files.figure_file import save_figure
from skill_plugin.files.whole_file import write_text
from skill_plugin.options.distinct import refuse_repeats
from skill_plugin.report.comparison.named_files import find_named
from skill_plugin.report.markdown_table import markdown_table
from skill_plugin.report.run_log import RUN_LOG, read_run_log
from skill_plugin.spec.names import split_names

Course = Mapping[int, float]  # update -> value


def read_course(folder: Path, value: str, subset: str) -> dict[int, float]:
    """A value of a run by update.

    Raises:
        InputError: there is no log, or the value is nowhere in it.
    """
    lines = read_run_log(folder / RUN_LOG)
    known: dict[str, None] = {}
    for event in ("valid", "train"):
        course = {}
        for line in lines:
            if line["event"] != event or (event == "valid" and line.get("subset") != subset):
                continue
            values = {name.replace("/", "_"): number for name, number in line.get("values", {}).items()}
            known |= dict.fromkeys(values)
            if value in values:
                course[line["update"]] = float(values[value])
        if course:
            return course
    raise InputError(f"{value!r} was not logged{nearest(value, known)}", folder / RUN_LOG)


def mean_course(courses: Sequence[Course], every: int) -> dict[int, float]:
    """The mean over runs at updates that all have, at most one in each stretch of ``every``."""
    common = sorted(set(courses[0]).intersection(*courses[1:]))
    last_of = {update // max(every, 1): update for update in common}
    return {update: statistics.fmean(course[update] for course in courses) for update in last_of.values()}


def draw(panels: Mapping[str, Mapping[str, Course]], path: Path) -> None:
    """A panel for each value, a line for each row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5 * len(panels), 3.5), layout="constrained")
    for (value, rows), ax in zip(panels.items(), figure.subplots(1, len(panels), squeeze=False)[0], strict=True):
        for name, course in rows.items():
            ax.plot(list(course), list(course.values()), marker="o", markersize=3, label=name)
        ax.set_title(value, loc="left")
        ax.set_xlabel("updates")
    figure.axes[0].legend()
    save_figure(figure, path, dpi=120)


def to_markdown(panels: Mapping[str, Mapping[str, Course]]) -> str:
    """A table for each value."""
    text = ""
    for value, rows in panels.items():
        updates = sorted({update for course in rows.values() for update in course})
        lines = [
            [name, *(f"{course[update]:.4g}" if update in course else "–" for update in updates)]
            for name, course in rows.items()
        ]
        text += markdown_table([f"{value}, after updates", *map(str, updates)], lines) + "\n"
    return text


def work(asked: argparse.Namespace) -> None:
    """Everything that a command line asks for.

    Raises:
        InputError: something is missing.
    """
    folders: dict[str, list[Path]] = {}
    for argument in asked.rows:
        name, found = find_named(argument)
        folders.setdefault(name, []).extend(found)
        check_distinct(folders[name], f"{name} counts each run once")
    panels = {
        value: {
            name: mean_course([read_course(folder, value, asked.subset) for folder in each], asked.every)
            for name, each in folders.items()
        }
        for value in asked.values
    }
    text = to_markdown(panels)
    print(text, end="")
    if asked.markdown:
        write_text(asked.markdown, text)
    if asked.plot:
        draw(panels, asked.plot)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("rows", nargs="+", metavar="NAME=PATTERN", help="a row, and the folders of its runs")
    parser.add_argument("--values", type=split_names, required=True, metavar="A,B", help="what to show, a panel each")
    parser.add_argument("--subset", default="valid", help="of validation (default: valid)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="updates from one point to the next")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the courses")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables to this file too")
    asked = parser.parse_args()
    try:
        refuse_repeats(asked.values, "--values")
        work(asked)
    except InputError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
