"""What the analyses that read a whole data folder take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

from skill_plugin.cli.options import SPLIT, batch_size_option, device_option, pack_size_option
from skill_plugin.files.json_file import write_json
from skill_plugin.files.whole_file import check_output
from skill_plugin.options.allowed_values import LARGEST

PLOT_FORMATS = (".png", ".svg", ".pdf")


class Numbers(Protocol):
    """What an analysis found."""

    def to_json(self) -> dict[str, Any]:
        """All numbers as plain values."""


Found = TypeVar("Found", bound=Numbers)


def check_ending(allowed: Sequence[str]) -> Callable[[click.Context, click.Parameter, Path | None], Path | None]:
    """A callback of an option that names a picture: other formats are refused before anything is read."""

    def check(context: click.Context, parameter: click.Parameter, file: Path | None) -> Path | None:
        if file is not None and file.suffix.lower() not in allowed:
            raise click.BadParameter(f"{str(file)!r} ends with none of {', '.join(allowed)}")
        return file

    return check


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
        batch_size_option if scored else pack_size_option,
        device_option,
        click.option(
            "--json", "json_file", type=click.Path(path_type=Path), help="Write all numbers to this file too."
        ),
        click.option(
            "--plot",
            metavar="FILE.png|svg|pdf",
            type=click.Path(path_type=Path),
            callback=check_ending(PLOT_FORMATS),
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
    plot: Path | None = None

    def check(self, *inputs: str | Path | None) -> None:
        """Refuses files that the analysis reads.

        Raises:
            InputError: one is.
        """
        for file in (self.json_file, self.plot):
            if file is not None:
                check_output(file, *inputs)

    def write(self, found: Found, draw: Callable[[Found, Path], None] | None = None) -> None:
        """Writes what was asked for, each file whole or not at all.

        Args:
            found: what the analysis found.
            draw: draws it; None for an analysis without ``--plot``.

        Raises:
            InputError: a file cannot be written.
        """
        if self.json_file is not None:
            write_json(self.json_file, found.to_json())
        if self.plot is not None and draw is not None:
            draw(found, self.plot)
