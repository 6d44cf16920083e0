"""``skill-plugin analyse usage CKPT DATA_BIN``: which experts serve which corpora and languages, layer by layer."""

from __future__ import annotations

from pathlib import Path

import click

from skill_plugin.cli.analysis_options import Outputs, analysis_options
from skill_plugin.cli.options import adapter_option, parse_selection


@click.command()
@click.argument("checkpoint")
@click.argument("data_bin")
@analysis_options("Draw shares and overlap as heat maps.")
@adapter_option
def analyse_usage(
    checkpoint: str,
    data_bin: str,
    split: str,
    only_corpora: str | None,
    limit: int,
    batch_size: int,
    device: str,
    adapter: str | None,
    json_file: Path | None,
    plot: Path | None,
) -> None:
    """Show which experts of CHECKPOINT serve whom in DATA_BIN.

    By layer, corpus and language: the share of tokens that each expert served, the entropy of the shares over log E (1
    where all E experts serve equally many), and the overlap between corpora, 1 less the total variation distance of
    their shares. With several experts a token all its choices count. Layers are numbered from 0 at the bottom, as in
    --expert-layers.
    """
    from skill_plugin import api
    from skill_plugin.analysis.usage.collect import collect_usage
    from skill_plugin.analysis.usage.plot import draw_usage
    from skill_plugin.analysis.usage.table import usage_tables
    from skill_plugin.cli.output import notes_console, print_tables, say_left_out
    from skill_plugin.cli.progress import corpus_progress

    outputs = Outputs(json_file, plot)
    outputs.check(checkpoint, adapter)
    model = api.load(checkpoint, device, adapter)
    with corpus_progress() as progress:
        collected = collect_usage(
            model, data_bin, split, parse_selection(only_corpora), limit, batch_size, progress=progress
        )
    say_left_out(notes_console(), collected.left_out)
    print_tables(usage_tables(collected.found))
    outputs.write(collected.found, draw_usage)
