"""Drawings as SVG that is part of the page: its texts are in the page's type and colour, and may be copied.

Colours are of Okabe and Ito's palette, which people with any colour vision tell apart. Heat maps go from light to dark.
"""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OURS, THEIRS = "#0072b2", "#d55e00"
GREY = "#8a909c"  # seen on white and on black
_PANEL = (2.7, 1.65)  # inches; a page has 96 pixels to each
_SETTINGS = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 8.5,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 9,
    "grid.color": GREY,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "xtick.color": GREY,
    "xtick.labelcolor": "black",
    "ytick.color": GREY,
    "ytick.labelcolor": "black",
    "lines.linewidth": 1.6,
    "legend.frameon": False,
}
_KEPT_ID = re.compile(r'(?:url\(#|href="#)([^")]+)')
_ID = re.compile(r' id="([^"]*)"')
_NOISE = re.compile(r"<!--.*?-->\n?|\s*<style.*?</style>| ?font-family: [^;\"]*;", re.DOTALL)
_PATH, _LONG_NUMBER = re.compile(r' d="[^"]*"'), re.compile(r"-?\d+\.\d{3,}")


@dataclass(frozen=True)
class Line:
    """A line of a chart.

    Attributes:
        x, y: its points.
        colour: one of this file's.
        low, high: edges of a band around it; None for none.
        dashed: whether it is a broken line.
    """

    x: Sequence[float]
    y: Sequence[float]
    colour: str = OURS
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    dashed: bool = False


def draw_lines(
    lines: Sequence[Line], x_label: str = "", limits: tuple[float, float] | None = None, level: float | None = None
) -> Markup:
    """Lines over a common axis.

    Args:
        lines: one or more; a point alone is drawn as one.
        x_label: what the axis is.
        limits: of the other axis.
        level: where a thin line lies across; None for none.
    """

    def draw(axes: Axes) -> None:
        for line in lines:
            mark, style = "o" if len(line.x) < 12 else None, "--" if line.dashed else "-"
            axes.plot(line.x, line.y, color=line.colour, linestyle=style, marker=mark, markersize=3)
            if line.low is not None and line.high is not None:
                axes.fill_between(line.x, line.low, line.high, color=line.colour, alpha=0.2, linewidth=0)
        if level is not None:
            axes.axhline(level, color=GREY, linewidth=1, linestyle=":")
        axes.set_xlabel(x_label)
        if limits is not None:
            axes.set_ylim(*limits)
        axes.locator_params(axis="x", nbins=4)
        axes.locator_params(axis="y", nbins=5)

    return _draw(draw, _PANEL)


@dataclass(frozen=True)
class Interval:
    """A value with an interval, beside others."""

    name: str
    value: float
    low: float
    high: float
    colour: str


def draw_intervals(intervals: Sequence[Interval], x_label: str) -> Markup:
    """Values beneath one another, with a line at 0."""

    def draw(axes: Axes) -> None:
        for place, one in enumerate(reversed(intervals)):
            axes.plot([one.low, one.high], [place, place], color=one.colour, linewidth=2, solid_capstyle="round")
            axes.plot([one.value], [place], color=one.colour, marker="o", markersize=5)
        axes.axvline(0, color=GREY, linewidth=1)
        axes.set_yticks(range(len(intervals)), [_plain(one.name) for one in reversed(intervals)])
        axes.set_ylim(-0.6, len(intervals) - 0.4)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(x_label)

    return _draw(draw, (5.6, 0.22 * len(intervals) + 0.6))


def draw_heat_map(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    texts: Sequence[Sequence[str]] | None = None,
    *,
    limits: tuple[float, float],
    diverging: bool = False,
) -> Markup:
    """Cells from light to dark; from orange over light to blue where values have a middle.

    Args:
        values: [rows, columns]; NaN is left empty.
        rows, columns: what they are.
        texts: what stands in the cells; None for nothing.
        limits: values of the lightest and of the darkest cell.
        diverging: whether they have a middle.
    """
    matrix = np.asarray(values, np.float64)
    low, high = limits

    def draw(axes: Axes) -> None:
        colours = "PuOr" if diverging else "Blues"
        shown = np.ma.masked_invalid(matrix)
        axes.pcolormesh(shown, vmin=low, vmax=high, cmap=colours, edgecolors="face", linewidth=0.4)
        axes.invert_yaxis()
        axes.set_xticks(
            np.arange(len(columns)) + 0.5, [_plain(name) for name in columns], rotation=90 if _long(columns) else 0
        )
        axes.set_yticks(np.arange(len(rows)) + 0.5, [_plain(name) for name in rows])
        axes.tick_params(length=0)
        axes.grid(visible=False)
        for spine in axes.spines.values():
            spine.set_visible(False)
        for row, line in enumerate(texts or ()):
            for column, text in enumerate(line):
                place = (matrix[row, column] - low) / max(high - low, 1e-9)
                dark = abs(2 * place - 1) > 0.6 if diverging else place > 0.55
                colour = "#ffffff" if dark else "#1c2230"
                axes.text(column + 0.5, row + 0.5, _plain(text), ha="center", va="center", color=colour, fontsize=7.5)

    cell = 0.42 if texts is not None else 0.2
    longest = max(map(len, rows), default=0)
    top = 0.075 * max(map(len, columns), default=0) if _long(columns) else 0.2
    size = (max(1.6, cell * len(columns)) + 0.075 * longest + 0.5, max(0.6, 0.24 * len(rows)) + top + 0.4)
    return _draw(draw, size)


def _long(names: Sequence[str]) -> bool:
    return max(map(len, names), default=0) > 4


def _plain(text: str) -> str:
    """A text in which matplotlib sees no mathematics."""
    return text.replace("$", r"\$")


def _draw(draw: Callable[[Axes], None], size: tuple[float, float]) -> Markup:
    import matplotlib  # takes a while to load; without pyplot there is no display to look for
    from matplotlib.figure import Figure

    with matplotlib.rc_context({**_SETTINGS, "svg.hashsalt": "skill_plugin"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a browser has other fonts
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots()
        draw(axes)
        written = io.StringIO()
        metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(written, format="svg", transparent=True, metadata=metadata)
    return _clean(written.getvalue())


def _clean(svg: str) -> Markup:
    """The element alone, with no names that another drawing of the page has too."""
    svg = svg[svg.index("<svg") :].strip()
    own = hashlib.sha256(svg.encode()).hexdigest()[:8]
    kept = set(_KEPT_ID.findall(svg))
    svg = _ID.sub(lambda found: f' id="{own}-{found[1]}"' if found[1] in kept else "", svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\g<1>{own}-", svg)
    svg = _NOISE.sub("", svg)
    svg = _PATH.sub(lambda found: _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}", found[0]), svg)
    return Markup(svg)
