"""What the analyses that read a whole data folder take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

from skill_plugin.cli.options import BATCH_SIZE, SPLIT
from skill_plugin.files.whole_file import refuse_own_input
from skill_plugin.options.allowed_values import LARGEST

PLOT_FORMATS = (".png", ".svg", ".pdf")


class Written(Protocol):
    """What an analysis found."""

    def write(self, path: Path) -> None:
        """All numbers as JSON."""


Found = TypeVar("Found", bound=Written)


def analysis_options(plot_help: str, scored: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Which rows are read, where, and what is written.

    Args:
        plot_help: what the analysis draws.
        scored: whether it scores answers as ``evaluate`` does.
    """
    options = (
        click.option(
            "--split",
            type=SPLIT,
            default="valid",
            show_default=True,
            help="Which split to score." if scored else "Which split to read; it needs no answers.",
        ),
        click.option("--only-corpora", metavar="A,B", help="Read only these corpora."),
        click.option(
            "--limit",
            type=click.IntRange(0, LARGEST),
            default=0,
            show_default=True,
            help="Rows of a corpus, spread evenly over the split; 0 = all.",
        ),
        click.option("--batch-size", type=BATCH_SIZE, help="The most sequences in a forward pass.")
        if scored
        else click.option(
            "--batch-size", type=BATCH_SIZE, default=64, show_default=True, help="Sequences in a forward pass."
        ),
        click.option("--device", default="cpu", show_default=True, help="Where to run, in torch's words."),
        click.option(
            "--json", "json_file", type=click.Path(path_type=Path), help="Write all numbers to this file too."
        ),
        click.option(
            "--plot",
            metavar="FILE.png|svg|pdf",
            type=click.Path(path_type=Path),
            callback=_check_plot,
            help=plot_help,
        ),
    )

    def with_options(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):  # as decorators do, the last one is applied first
            command = option(command)
        return command

    return with_options


@dataclass(frozen=True)
class Outputs:
    """The files that an analysis writes.

    Attributes:
        json_file, plot: of ``--json`` and ``--plot``; None where they were not given.
    """

    json_file: Path | None
    plot: Path | None

    def check(self, *inputs: str | Path | None) -> None:
        """Refuses files that the analysis reads.

        Raises:
            InputError: one is.
        """
        for file in (self.json_file, self.plot):
            if file is not None:
                refuse_own_input(file, *inputs)

    def write(self, found: Found, draw: Callable[[Found, Path], None]) -> None:
        """Writes what was asked for."""
        if self.json_file is not None:
            found.write(self.json_file)
        if self.plot is not None:
            draw(found, self.plot)


def _check_plot(context: click.Context, parameter: click.Parameter, plot: Path | None) -> Path | None:
    """Refused before anything is read."""
    if plot is not None and plot.suffix.lower() not in PLOT_FORMATS:
        raise click.BadParameter(f"{str(plot)!r} ends with none of {', '.join(PLOT_FORMATS)}")
    return plot
