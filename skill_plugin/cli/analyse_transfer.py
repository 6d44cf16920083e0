"""``skill-plugin analyse transfer --embeddings CKPT DATA_BIN --corpus NEW``: what NEW should start from."""

from __future__ import annotations

from pathlib import Path

import click

from skill_plugin.cli.options import BATCH_SIZE
from skill_plugin.options.allowed_values import LARGEST


@click.command()
@click.argument("checkpoint")
@click.argument("data_bin")
@click.option("--embeddings", is_flag=True, help="Rank the checkpoint's task embeddings.")
@click.option("--corpus", required=True, help="The new corpus.")
@click.option("--corpora", metavar="FILE", required=True, help="The corpora file that has it.")
@click.option("--head", metavar="CORPUS", help="Whose head answers for it (default: what the file says by head_from).")
@click.option(
    "--split", type=click.Choice(("train", "valid", "test")), default="valid", show_default=True, help="What to score."
)
@click.option("--seed", type=click.IntRange(0, LARGEST), default=1, show_default=True, help="Of the drawn embeddings.")
@click.option("--batch-size", type=BATCH_SIZE, default=64, show_default=True, help="Sequences in a forward pass.")
@click.option("--device", default="cpu", show_default=True, help="Where to run, in torch's words.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the ranking to this file too.")
def analyse_transfer(
    checkpoint: str,
    data_bin: str,
    embeddings: bool,
    corpus: str,
    corpora: str,
    head: str | None,
    split: str,
    seed: int,
    batch_size: int,
    device: str,
    json_file: Path | None,
) -> None:
    """Score the new corpus NEW of DATA_BIN with CHECKPOINT as it is.

    With --embeddings: once with the task embedding of each corpus of the checkpoint, with their average, and with two
    that are drawn, each time with the same trained head, whose labels must be those of the new corpus. What comes first
    is what embedding_from should say.
    """
    if not embeddings:
        raise click.UsageError("say what is to be compared: --embeddings")
    from skill_plugin import api
    from skill_plugin.analysis.transfer.collect import collect_transfer
    from skill_plugin.analysis.transfer.table import transfer_table
    from skill_plugin.cli.corpus_progress import corpus_progress
    from skill_plugin.cli.output import notes_console, print_tables

    model = api.load(checkpoint, device)
    with corpus_progress(notes_console()) as progress:
        found = collect_transfer(model, data_bin, corpora, corpus, head, split, seed, batch_size, progress)
    print_tables([transfer_table(found)], lead=2)
    if json_file is not None:
        found.write(json_file)
