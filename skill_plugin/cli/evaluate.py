"""``skill-plugin evaluate CKPT DATA_BIN``: scores every corpus, as a language × task table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from skill_plugin.cli.options import (
    SPLIT,
    adapter_option,
    batch_size_option,
    decode_option,
    device_option,
    parse_activations,
    parse_selection,
    verify_option,
)
from skill_plugin.options.decoding import Decoding


@click.command()
@click.argument("checkpoint")
@click.argument("data_bin")
@click.option("--split", type=SPLIT, default="valid", show_default=True, help="Which split to score.")
@click.option("--only-corpora", metavar="A,B", help="Score only these corpora.")
@click.option(
    "--activate",
    metavar="CORPUS=SKILLS",
    multiple=True,
    help="Activate other skills for a corpus: CORPUS=SKILL,SKILL+LANGUAGE, CORPUS=SKILL,SKILL, CORPUS=+LANGUAGE, or "
    "CORPUS=@OTHER for the gate or task embedding of the corpus OTHER. Can be given several times.",
)
@click.option("--allow-missing", is_flag=True, help="Leave out corpora of the model that the folder lacks.")
@verify_option
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the scores to this file too.")
@batch_size_option
@device_option
@decode_option
@adapter_option
def evaluate(
    checkpoint: str,
    data_bin: str,
    split: str,
    only_corpora: str | None,
    activate: Sequence[str],
    allow_missing: bool,
    no_verify: bool,
    json_file: Path | None,
    batch_size: int | None,
    device: str,
    decode: Decoding,
    adapter: str | None,
) -> None:
    """Score the trained model CHECKPOINT on every corpus of the data folder DATA_BIN."""
    from skill_plugin import api
    from skill_plugin.cli.output import (
        console,
        notes_console,
        print_tables,
        say_activated,
        say_left_out,
        say_unreadable,
    )
    from skill_plugin.cli.progress import corpus_progress
    from skill_plugin.files.whole_file import check_output
    from skill_plugin.inference.evaluation import evaluate as evaluate_model
    from skill_plugin.report.score_table import make_score_table
    from skill_plugin.report.share_table import make_trained_table

    if json_file is not None:
        check_output(json_file, checkpoint, adapter)
    only = parse_selection(only_corpora)
    replaced = parse_activations(activate, only)
    model = api.load(checkpoint, device, adapter, decode).activating(replaced)
    notes = notes_console()
    with corpus_progress() as progress:
        evaluated = evaluate_model(
            model,
            data_bin,
            split,
            batch_size,
            progress=progress,
            only=only,
            allow_missing=allow_missing,
            verify=not no_verify,
        )
    say_left_out(notes, evaluated.left_out)
    say_activated(notes, evaluated.results)
    say_unreadable(notes, evaluated.results)
    if model.shares is not None:
        print_tables([make_trained_table(model.shares)])
        console().print()
    print_tables([make_score_table(evaluated.results)], lead=2)
    if json_file is not None:
        evaluated.results.write(json_file)
