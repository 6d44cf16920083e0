"""``skill-plugin analyse covariance CKPT DATA_BIN``: how alike corpora are where they enter the first layer."""

from __future__ import annotations

from pathlib import Path

import click

from skill_plugin.cli.options import selected
from skill_plugin.cli.plot_option import plot_option


@click.command()
@click.argument("checkpoint")
@click.argument("data_bin")
@click.option(
    "--before",
    metavar="FILE",
    help="Compare with this encoder or checkpoint, such as that of --init-from, over the same sequences.",
)
@click.option(
    "--split",
    type=click.Choice(("train", "valid", "test")),
    default="valid",
    show_default=True,
    help="Which split to read; it needs no answers.",
)
@click.option("--only-corpora", metavar="A,B", help="Read only these corpora.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Rows of a corpus, spread evenly over the split; 0 = all.",
)
@click.option(
    "--batch-size", type=click.IntRange(1), default=64, show_default=True, help="Sequences in a forward pass."
)
@click.option("--device", default="cpu", show_default=True, help="Where to run, in torch's words.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write all numbers to this file too.")
@plot_option("Draw the similarities as heat maps.")
def analyse_covariance(
    checkpoint: str,
    data_bin: str,
    before: str | None,
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
    from rich.console import Console

    from skill_plugin import api
    from skill_plugin.cli.corpus_progress import corpus_progress
    from skill_plugin.cli.output import console
    from skill_plugin.first_layer_covariance import collect_covariance
    from skill_plugin.report.covariance_table import covariance_tables

    model = api.load(checkpoint, device)
    notes = Console(stderr=True)
    with corpus_progress(notes) as progress:
        collected = collect_covariance(
            model, checkpoint, data_bin, before, split, selected(only_corpora), limit, batch_size, progress=progress
        )
    for corpus, reason in collected.left_out.items():
        notes.print(f"{corpus}: left out, {reason}", style="yellow", markup=False, soft_wrap=True)
    for index, table in enumerate(covariance_tables(collected.comparison)):
        if index:
            console().print()
        console().print(table)
    if json_file is not None:
        collected.comparison.write(json_file)
    if plot is not None:
        from skill_plugin.analysis.covariance_map import draw_covariance

        draw_covariance(collected.comparison, plot)
