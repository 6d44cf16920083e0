"""``skill-plugin analyse usage CKPT DATA_BIN``: which experts serve which corpora and languages, layer by layer."""

from __future__ import annotations

from pathlib import Path

import click

from skill_plugin.cli.options import selected
from skill_plugin.cli.plot_option import plot_option


@click.command()
@click.argument("checkpoint")
@click.argument("data_bin")
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
@plot_option("Draw shares and overlap as heat maps.")
def analyse_usage(
    checkpoint: str,
    data_bin: str,
    split: str,
    only_corpora: str | None,
    limit: int,
    batch_size: int,
    device: str,
    json_file: Path | None,
    plot: Path | None,
) -> None:
    """Show which experts of CHECKPOINT serve whom in DATA_BIN.

    By layer, corpus and language: the share of tokens that each expert served, the entropy of the shares over log E (1
    where all E experts serve equally many), and the overlap between corpora, 1 less the total variation distance of
    their shares. With several experts a token all its choices count. Layers are numbered from 0 at the bottom, as in
    --expert-layers.
    """
    from rich.console import Console

    from skill_plugin import api
    from skill_plugin.cli.corpus_progress import corpus_progress
    from skill_plugin.cli.output import console
    from skill_plugin.expert_usage import collect_expert_usage
    from skill_plugin.report.usage_table import usage_tables

    model = api.load(checkpoint, device)
    notes = Console(stderr=True)
    with corpus_progress(notes) as progress:
        collected = collect_expert_usage(
            model, data_bin, split, selected(only_corpora), limit, batch_size, progress=progress
        )
    for corpus, reason in collected.left_out.items():
        notes.print(f"{corpus}: left out, {reason}", style="yellow", markup=False, soft_wrap=True)
    for index, table in enumerate(usage_tables(collected.usage)):
        if index:
            console().print()
        console().print(table)
    if json_file is not None:
        collected.usage.write(json_file)
    if plot is not None:
        from skill_plugin.analysis.heat_map import draw_usage

        draw_usage(collected.usage, plot)
