"""``skill-plugin analyse perturb CKPT DATA_BIN``: scores with other languages and other skills."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from skill_plugin.cli.options import wrong_usage
from skill_plugin.cli.perturbation_options import PerturbationOptions, perturbation_options
from skill_plugin.options.distinct import refuse_repeats


def _parse_seeds(context: click.Context, parameter: click.Parameter, text: str) -> list[int]:
    """Refused before anything is read."""
    try:
        seeds = [int(seed) for seed in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a list of numbers, as 42,624") from None
    if min(seeds) < 0:
        raise click.BadParameter(f"{text!r} has a number below 0")
    with wrong_usage():
        refuse_repeats(seeds, "--seeds")
    return seeds


@click.command()
@perturbation_options
@click.option(
    "--seeds",
    metavar="A,B",
    default="42,624,123",
    show_default=True,
    callback=_parse_seeds,
    help="Of random skills, a row each; the default is the paper's.",
)
def analyse_perturb(seeds: Sequence[int], **options: Any) -> None:
    """Score CHECKPOINT on DATA_BIN with what its corpora were not trained with.

    Each corpus is scored as it was trained; with each other language of the model; with all task skills; and with
    random ones, each with a probability of 0.5, for several seeds (SkillNet-X, tables 6 and 7). What has gates or task
    embeddings of corpora (mt_tag, ca_mtl) is scored with those of each other corpus. Averages are over the corpora that
    a row changes, and "change" is against the same corpora as trained.
    """
    from skill_plugin.analysis.perturbation.perturb import make_perturbations

    PerturbationOptions(**options).run(partial(make_perturbations, seeds=seeds), by_language=True)
