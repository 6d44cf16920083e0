"""``--plot``, which several analyses take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

PLOT_FORMATS = (".png", ".svg", ".pdf")


def plot_option(help_text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option, for an analysis that draws what the text says."""
    return click.option(
        "--plot",
        metavar="FILE.png|svg|pdf",
        type=click.Path(path_type=Path),
        callback=_check_plot,
        help=help_text,
    )


def _check_plot(context: click.Context, parameter: click.Parameter, plot: Path | None) -> Path | None:
    """Refused before anything is read."""
    if plot is not None and plot.suffix.lower() not in PLOT_FORMATS:
        raise click.BadParameter(f"{str(plot)!r} ends with none of {', '.join(PLOT_FORMATS)}")
    return plot
