"""``skill-plugin analyse ANALYSIS …``: the papers' analyses of trained models, a file ``analyse_*.py`` each."""

from __future__ import annotations

import click

from skill_plugin.cli.lazy_group import LazyGroup

ANALYSES = {
    "perturb": "analyse_perturb",
    "ablate": "analyse_ablate",
    "usage": "analyse_usage",
    "transfer": "analyse_transfer",
    "covariance": "analyse_covariance",
    "difficulty": "analyse_difficulty",
}


@click.command(cls=LazyGroup, subcommands=ANALYSES)
def analyse() -> None:
    """Analyse trained models, and corpora, as the papers do."""
