"""Heat maps of covariance similarity."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from skill_plugin.analysis.covariance.measure import CovarianceComparison
from skill_plugin.files.figure_file import save_figure

_CELL = 0.4  # inches


def draw_covariance(comparison: CovarianceComparison, path: Path) -> None:
    """Draws a map of every two corpora for each model, and beneath it their means, all on one scale.

    Args:
        comparison: what to draw.
        path: its suffix says the format, one that matplotlib knows. The file is there whole or not at all.

    Raises:
        InputError: it cannot be written.
    """
    from matplotlib.figure import Figure  # takes a while to load; without pyplot there is no display to look for

    names, models = list(comparison.tokens), list(comparison.models.items())
    side = max(_CELL * (len(names) + 1), 2.5)
    figure = Figure(figsize=((side + 1.5) * len(models) + 1, side + 2), layout="constrained")
    axes = figure.subplots(1, len(models), squeeze=False)[0]
    shown = []
    for _, model in models:
        scores = model.scores.copy()
        np.fill_diagonal(scores, np.nan)
        shown.append(np.vstack([scores, model.means]))
    low = min(float(np.nanmin(values)) for values in shown)
    for (title, _), values, ax in zip(models, shown, axes, strict=True):
        image = ax.imshow(values, vmin=low, vmax=1, cmap="viridis", interpolation="none")
        ax.set_xticks(range(len(names)), names, rotation=90)
        ax.set_yticks(range(len(names) + 1), [*names, "mean"])
        ax.axhline(len(names) - 0.5, color="white", linewidth=2)
        ax.set_title(title, loc="left")
    figure.suptitle(f"covariance similarity at the first layer's input, {comparison.split}")
    figure.colorbar(image, ax=list(axes), fraction=0.05)
    save_figure(figure, path)
