"""A heat map of changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from skill_plugin.analysis.perturbation.measure import TRAINED, Perturbation
from skill_plugin.files.figure_file import save_figure

_CELL = (0.75, 0.35)  # inches
_LEAST = 1.0  # points at which colours end, so that rounding has none


def draw_perturbation(found: Perturbation, path: Path) -> None:
    """Draws each averaged corpus's change by condition, in points: the colour, and as a number; scores in the top row.

    Args:
        found: what to draw.
        path: its suffix says the format, one that matplotlib knows. The file is there whole or not at all.

    Raises:
        InputError: it cannot be written.
    """
    from matplotlib.figure import Figure  # takes a while to load; without pyplot there is no display to look for

    names = [name for name, scores in found.results.items() if scores[TRAINED].averaged]
    titles = found.titles
    changes = np.full((len(titles), len(names)), np.nan)
    for row, title in enumerate(titles):
        for column, name in enumerate(names):
            if (change := found.change(title, name)) is not None:
                changes[row, column] = 100 * change
    most = max(_LEAST, float(np.nanmax(np.abs(changes), initial=0)))
    size = (_CELL[0] * max(len(names), 3) + 4, _CELL[1] * len(titles) + 2)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    if names:
        image = axes.imshow(changes, vmin=-most, vmax=most, cmap="RdBu", aspect="auto", interpolation="none")
        figure.colorbar(image, ax=axes, fraction=0.05, label="points")
    for row, title in enumerate(titles):
        for column, name in enumerate(names):
            if not np.isnan(changes[row, column]):
                value = 100 * found.results[name][title].value
                text = f"{value:.1f}" if title == TRAINED else f"{changes[row, column]:+.1f}"
                colour = "white" if abs(changes[row, column]) > 0.6 * most else "black"
                axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=8)
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set_yticks(range(len(titles)), titles)
    axes.axhline(0.5, color="white", linewidth=2)
    axes.set_title(f"{found.variant}, {found.split}: change of scores", loc="left")
    save_figure(figure, path)
