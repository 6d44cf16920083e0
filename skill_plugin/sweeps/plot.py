"""Scores along an axis of a sweep, or in the course of its runs: a panel for their mean, and one for each corpus."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from skill_plugin.files.figure_file import save_figure
from skill_plugin.report.run_log import RUN_LOG, read_run_log
from skill_plugin.report.score_text import score_scale
from skill_plugin.report.spread import Spread
from skill_plugin.spec.averages import AVERAGE
from skill_plugin.sweeps.plan import Plan
from skill_plugin.sweeps.scores import Row, make_rows
from skill_plugin.sweeps.sweep_file import UPDATES, VALID

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = 4  # panels side by side
_WIDE = 30  # values from which on an axis of numbers is logarithmic, as the ratio of the largest to the smallest

Line = Mapping[str, Spread]  # label on the axis -> scores of the seeds


@dataclass(frozen=True)
class Panel:
    """One of the plot.

    Attributes:
        title: what is scored.
        lines: by the name of the model.
    """

    title: str
    lines: Mapping[str, Line]


def draw_sweep(plan: Plan, path: Path) -> bool:
    """Draws means over seeds, with their deviation.

    Args:
        plan: the sweep.
        path: of a picture that matplotlib can write. The file is there whole or not at all.

    Returns:
        Whether there was something to draw: two points or more of a line.

    Raises:
        InputError: it cannot be written, or a log or results are damaged.
    """
    name = plan.file.plot or _first_axis(plan)
    if name is None:
        return False
    rows = make_rows(plan, every=True)
    panels = courses(rows) if name == UPDATES else along(rows, name, plan.file.evaluate[0])
    if not any(len(line) > 1 for panel in panels for line in panel.lines.values()):
        return False
    _draw(panels, name, plan.file.evaluate[0] if name != UPDATES else VALID, path)
    return True


def _first_axis(plan: Plan) -> str | None:
    axes = [axis for stage in plan.file.stages for axis in plan.file.axes_of(stage) if len(axis.choices) > 1]
    return next((axis.name for axis in sorted(axes, key=lambda axis: not axis.of_option)), None)


def along(rows: Sequence[Row], name: str, split: str) -> list[Panel]:
    """The scores of rows along an axis.

    Args:
        rows: one for each choice.
        name: of the axis.
        split: that was scored.
    """
    titles: dict[str, dict[str, dict[str, Spread]]] = {}
    for row in rows:
        at = {axis.name: choice.label for axis, choice in row.point}
        if name not in at:
            continue
        line = _line_name(row, name)
        results = [one.results[split] for one in row.seeds.values()]
        scores = {AVERAGE: [one.avg for one in results if one.avg is not None]}
        for corpus, result in results[0].corpora.items():
            scale = score_scale(result.metric) / 100
            scores[f"{corpus} ({result.metric})"] = [scale * one.corpora[corpus].value for one in results]
        for title, values in scores.items():
            if values:
                titles.setdefault(title, {}).setdefault(line, {})[at[name]] = Spread(tuple(values))
    return [Panel(title, lines) for title, lines in titles.items()]


def courses(rows: Sequence[Row]) -> list[Panel]:
    """The scores on valid after so many updates, from the logs of runs: what all seeds of a row have."""
    titles: dict[str, dict[str, dict[str, Spread]]] = {}
    for row in rows:
        found: dict[str, dict[str, list[float]]] = {}
        for scored in row.seeds.values():
            for run in scored.runs:
                metrics = {name: one.metric for name, one in next(iter(scored.results.values())).corpora.items()}
                for line in read_run_log(run.folder / RUN_LOG):
                    if line["event"] != "valid":
                        continue
                    values = line["values"]
                    scores = {f"{c} ({m})": values[f"{c}/{m}"] for c, m in metrics.items() if f"{c}/{m}" in values}
                    if run.corpus is None and AVERAGE in values:
                        scores = {AVERAGE: values[AVERAGE], **scores}
                    for title, value in scores.items():
                        found.setdefault(title, {}).setdefault(str(line["update"]), []).append(value)
        for title, points in found.items():
            whole = {at: Spread(tuple(each)) for at, each in points.items() if len(each) == len(row.seeds)}
            titles.setdefault(title, {})[_line_name(row)] = whole
    return [Panel(title, lines) for title, lines in titles.items()]


def _line_name(row: Row, without: str | None = None) -> str:
    shown = [axis.shown(choice) for axis, choice in row.point if axis.name != without]
    return ", ".join([*shown, *([row.stage] if row.stage else [])])


def _draw(panels: Sequence[Panel], name: str, split: str, path: Path) -> None:
    from matplotlib.figure import Figure  # takes a while to load; without pyplot there is no display to look for

    columns = min(_COLUMNS, len(panels))
    height = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(4 * columns, 3 * height + 0.6), layout="constrained")
    axes = figure.subplots(height, columns, squeeze=False)
    for panel, ax in zip(panels, axes.flat, strict=False):
        _draw_panel(panel, name, ax)
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    if any(labels):
        figure.legend(handles, labels, loc="outside lower center", ncols=columns)
    figure.suptitle(f"{split}: mean and standard deviation over seeds", x=0.01, ha="left")
    save_figure(figure, path)


def _draw_panel(panel: Panel, name: str, ax: Axes) -> None:
    labels = list(dict.fromkeys(label for line in panel.lines.values() for label in line))
    numbers = _numbers(labels)
    places = dict(zip(labels, numbers or range(len(labels)), strict=True))
    for line_name, line in panel.lines.items():
        points = sorted((places[label], spread) for label, spread in line.items())
        x, means = [at for at, _ in points], [100 * spread.mean for _, spread in points]
        deviations = [100 * (spread.deviation or 0.0) for _, spread in points]
        ax.errorbar(x, means, deviations, marker="o", markersize=3, capsize=2, label=line_name)
    if numbers is None:
        ax.set_xticks(range(len(labels)), labels, rotation=30, ha="right")
    elif name != UPDATES and min(numbers) > 0 and max(numbers) >= _WIDE * min(numbers):
        ax.set_xscale("log")
    ax.set_title(panel.title, loc="left")
    ax.set_xlabel(name)


def _numbers(labels: Sequence[str]) -> list[float] | None:
    """The labels as numbers; None where one is none."""
    try:
        numbers = [float(label.removesuffix("%")) for label in labels]
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) else None
