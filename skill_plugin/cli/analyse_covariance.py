"""``skill-plugin analyse covariance CKPT DATA_BIN``: how alike corpora are where they enter the first layer."""

from __future__ import annotations

from pathlib import Path

import click

from skill_plugin.cli.analysis_options import Outputs, analysis_options
from skill_plugin.cli.options import parse_checkpoints, parse_selection
from skill_plugin.options.corpus_values import refuse_others


@click.command()
@click.argument("checkpoint")
@click.argument("data_bin")
@click.option(
    "--before",
    metavar="FILE",
    help="Compare with this encoder or checkpoint, such as that of --init-from, over the same sequences.",
)
@click.option(
    "--single",
    metavar="CORPUS=CHECKPOINT,…",
    multiple=True,
    callback=parse_checkpoints,
    help="Compare with models of one corpus each, every corpus sent through its own.",
)
@analysis_options("Draw the similarities as heat maps.")
def analyse_covariance(
    checkpoint: str,
    data_bin: str,
    before: str | None,
    single: dict[str, str],
    split: str,
    only_corpora: str | None,
    limit: int,
    batch_size: int,
    device: str,
    json_file: Path | None,
    plot: Path | None,
) -> None:
    """Show how similar the covariances of the corpora of DATA_BIN are for CHECKPOINT.

    X holds the input of the first Transformer layer for every token of a corpus. X^T X is approximated by the smallest
    rank whose singular values contain 99 % of their sum. The score of two corpora is 1 where these are proportional
    and of rank 1, and 0 where they share no direction (CA-MTL, equation 3.7); that of a corpus is its mean over the
    others.
    """
    from skill_plugin import api
    from skill_plugin.analysis.covariance.collect import collect_covariance
    from skill_plugin.analysis.covariance.plot import draw_covariance
    from skill_plugin.analysis.covariance.table import covariance_tables
    from skill_plugin.cli.output import notes_console, print_tables, say_left_out
    from skill_plugin.cli.progress import corpus_progress

    outputs = Outputs(json_file, plot)
    outputs.check(checkpoint, before, *single.values())
    model = api.load(checkpoint, device)
    refuse_others(single, model.corpora, "--single", "the model has")
    with corpus_progress() as progress:
        collected = collect_covariance(
            model,
            checkpoint,
            data_bin,
            before,
            single,
            split,
            parse_selection(only_corpora),
            limit,
            batch_size,
            progress=progress,
        )
    say_left_out(notes_console(), collected.left_out)
    print_tables(covariance_tables(collected.found))
    outputs.write(collected.found, draw_covariance)
