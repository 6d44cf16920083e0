"""Heat maps of how a model's experts are used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from skill_plugin.analysis.usage.measure import CorpusUsage, ExpertUsage, GroupUsage
from skill_plugin.files.figure_file import save_figure

_CELL = 0.3  # inches
_NUMBERED = 24  # columns of experts from which on cells are narrower and only layers are named
_COLOURS = "viridis"


def draw_usage(usage: ExpertUsage, path: Path) -> None:
    """Draws shares (corpora, languages and all by layer and expert) and, where there are several corpora, overlap.

    Args:
        usage: what to draw.
        path: its suffix says the format, one that matplotlib knows. The file is there whole or not at all.

    Raises:
        InputError: it cannot be written.
    """
    from matplotlib.figure import Figure  # takes a while to load; without pyplot there is no display to look for

    corpora = len(usage.corpora)
    rows, columns = corpora + len(usage.languages) + 1, len(usage.layers) * usage.experts
    cell = _CELL if columns <= _NUMBERED else _CELL / 2
    widths = [max(cell * columns, 2.5)] + [max(_CELL * corpora, 2.5)] * (corpora > 1)
    figure = Figure(figsize=(sum(widths) + 2.5 * len(widths), _CELL * rows + 2), layout="constrained")
    axes = figure.subplots(1, len(widths), width_ratios=widths, squeeze=False)[0]
    _draw_shares(figure, axes[0], usage, columns <= _NUMBERED)
    if corpora > 1:
        _draw_overlap(figure, axes[1], usage)
    save_figure(figure, path)


def _draw_shares(figure: Any, axes: Any, usage: ExpertUsage, numbered: bool) -> None:
    """Rows of corpora, languages and all; columns of experts, layer by layer."""
    groups: list[CorpusUsage | GroupUsage] = [*usage.corpora.values(), *usage.languages.values(), usage.everything]
    names = [*usage.corpora, *(f"all {language}" for language in usage.languages), "all"]
    experts, layers = usage.experts, len(usage.layers)
    image = axes.imshow(
        np.stack([group.shares.ravel() for group in groups]), vmin=0, aspect="auto", cmap=_COLOURS, interpolation="none"
    )
    axes.set_yticks(range(len(names)), names)
    axes.set_xticks((np.arange(layers) + 0.5) * experts - 0.5, [f"layer {layer}" for layer in usage.layers])
    axes.tick_params(axis="x", length=0, pad=18 if numbered else 4, rotation=0 if numbered or experts > 7 else 90)
    if numbered:
        axes.set_xticks(range(layers * experts), [str(i % experts) for i in range(layers * experts)], minor=True)
    for boundary in np.arange(1, layers) * experts - 0.5:
        axes.axvline(boundary, color="white", linewidth=2)
    for boundary in np.cumsum([len(usage.corpora), len(usage.languages)]) - 0.5:
        axes.axhline(boundary, color="white", linewidth=2)
    served = "tokens" if usage.per_token == 1 else f"choices, {usage.per_token} a token"
    axes.set_title(f"{usage.variant}, {usage.split}: share of {served}, by expert", loc="left")
    figure.colorbar(image, ax=axes, fraction=0.05)


def _draw_overlap(figure: Any, axes: Any, usage: ExpertUsage) -> None:
    names = list(usage.corpora)
    image = axes.imshow(usage.mean_overlap, vmin=0, vmax=1, aspect="auto", cmap=_COLOURS, interpolation="none")
    axes.set_yticks(range(len(names)), names)
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set_title("overlap, mean over layers", loc="left")
    figure.colorbar(image, ax=axes)
