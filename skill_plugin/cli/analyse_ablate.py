"""``skill-plugin analyse ablate CKPT DATA_BIN``: scores without each skill."""

from __future__ import annotations

from typing import Any

import click

from skill_plugin.cli.perturbation_options import PerturbationOptions, perturbation_options


@click.command()
@perturbation_options
def analyse_ablate(**options: Any) -> None:
    """Score CHECKPOINT on DATA_BIN without each task skill, for the corpora that activate it.

    Nothing is trained anew; the others' mean remains. A corpus that has no other skill is marked. Averages are over the
    corpora that a row changes, and "change" is against the same corpora as trained.
    """
    from skill_plugin.analysis.perturbation.ablate import make_ablations

    PerturbationOptions(**options).run(make_ablations, by_language=False)
