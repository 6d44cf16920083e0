"""``skill-plugin analyse difficulty CORPORA.yaml``: how difficult corpora are, before anything is trained."""

from __future__ import annotations

from pathlib import Path

import click

from skill_plugin.cli.analysis_options import Outputs
from skill_plugin.cli.options import parse_selection


@click.command()
@click.argument("corpora", metavar="CORPORA.yaml")
@click.option("--only-corpora", metavar="A,B", help="Read only these corpora.")
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write all numbers to this file.",
)
def analyse_difficulty(corpora: str, only_corpora: str | None, json_file: Path | None) -> None:
    """Estimate how difficult corpora are by their training texts and labels alone.

    Of classification in English. The measure is EDM (Collins, Rozanov and Zhang 2018; CA-MTL, figure 3.8), the sum of
    five statistics: distinct words, how unequal the classes are, their entropy, how alike the words of two classes
    are, and what their most frequent words have in common. Texts of a pair are joined. Other corpora are named and
    left out.
    """
    from skill_plugin.cli.output import notes_console, print_tables, say_left_out
    from skill_plugin.cli.progress import reading_progress
    from skill_plugin.spec import read_corpora_file

    outputs = Outputs(json_file)
    outputs.check(corpora)
    corpora_file = read_corpora_file(corpora, parse_selection(only_corpora))
    from skill_plugin.analysis.difficulty.collect import collect_difficulties
    from skill_plugin.analysis.difficulty.table import difficulty_table

    with reading_progress(len(corpora_file.corpora)) as advance:
        found = collect_difficulties(corpora_file, advance)
    say_left_out(notes_console(), found.left_out)
    print_tables([difficulty_table(found)])
    outputs.write(found)
