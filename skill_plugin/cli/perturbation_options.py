"""What ``analyse perturb`` and ``analyse ablate`` have in common: they score a model in several conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skill_plugin.cli.analysis_options import Outputs, analysis_options
from skill_plugin.cli.options import adapter_option, parse_selection

if TYPE_CHECKING:
    from skill_plugin.analysis.perturbation.condition import MakeConditions


@dataclass(frozen=True)
class PerturbationOptions:
    """What the command line says; see ``perturbation_options``."""

    checkpoint: str
    data_bin: str
    split: str
    only_corpora: str | None
    limit: int
    batch_size: int | None
    device: str
    adapter: str | None
    beside: Path | None
    json_file: Path | None
    plot: Path | None

    def run(self, make: MakeConditions, by_language: bool) -> None:
        """Scores, prints and writes.

        Args:
            make: gives the conditions.
            by_language: whether there is a table for each language, if the model has skills of languages.

        Raises:
            InputError: an input is at fault.
        """
        from skill_plugin import api
        from skill_plugin.analysis.perturbation.averages import read_averages
        from skill_plugin.analysis.perturbation.collect import collect_perturbation
        from skill_plugin.analysis.perturbation.plot import draw_perturbation
        from skill_plugin.analysis.perturbation.table import perturbation_tables
        from skill_plugin.cli.output import notes_console, print_tables, say_left_out
        from skill_plugin.cli.progress import corpus_progress

        outputs = Outputs(self.json_file, self.plot)
        outputs.check(self.checkpoint, self.adapter, self.beside)
        beside = None if self.beside is None else read_averages(self.beside)
        model = api.load(self.checkpoint, self.device, self.adapter)
        with corpus_progress() as progress:
            collected = collect_perturbation(
                model,
                self.data_bin,
                make,
                self.split,
                parse_selection(self.only_corpora),
                self.limit,
                self.batch_size,
                progress=progress,
            )
        say_left_out(notes_console(), collected.left_out)
        by_language = by_language and "language" in model.choices
        print_tables(perturbation_tables(collected.found, by_language, beside))
        outputs.write(collected.found, draw_perturbation)


def perturbation_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Checkpoint, data folder, and what ``PerturbationOptions`` holds."""
    beside = click.option(
        "--beside",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Show the averages of this file beside: what --json has written of another model.",
    )
    command = beside(adapter_option(command))
    command = analysis_options("Draw the changes as a heat map.", scored=True)(command)
    return click.argument("checkpoint")(click.argument("data_bin")(command))
