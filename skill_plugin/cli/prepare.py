"""``skill-plugin prepare``: raw corpora -> binarised data folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skill_plugin.cli.options import check_tokenizer_options, open_text_encoder, parse_selection
from skill_plugin.cli.trimming import describe_trimming, trim_to_corpora
from skill_plugin.errors import counted

if TYPE_CHECKING:
    from rich.console import Console

    from skill_plugin.readers.read_corpus import CorpusData
    from skill_plugin.store.write_corpus import PreparedSplit


@click.command()
@click.argument("corpora", type=click.Path(path_type=Path))
@click.argument("data_bin", type=click.Path(path_type=Path))
@click.option(
    "--encoder",
    metavar="FILE",
    help="Imported encoder, fairseq's model.pt, or a trained checkpoint, whose tokenizer is used.",
)
@click.option(
    "--tokenizer",
    metavar="MODEL",
    help="Instead: a SentencePiece .model, a tokenizer.json or a vocab.txt.",
)
@click.option(
    "--dict",
    "dict_txt",
    metavar="FILE",
    help="fairseq's dict.txt for --tokenizer; default: the model's pieces.",
)
@click.option(
    "--only-corpora", metavar="A,B", help="Names of the corpora to prepare, separated by commas; default: all."
)
@click.option(
    "--trim-vocabulary",
    is_flag=True,
    help="Keep only the pieces that occur in the data, and what other texts are spelled by.",
)
@click.option("--workers", type=click.IntRange(1, 1024), default=1, show_default=True, help="Processes that tokenise.")
def prepare(
    corpora: Path,
    data_bin: Path,
    encoder: str | None,
    tokenizer: str | None,
    dict_txt: str | None,
    only_corpora: str | None,
    trim_vocabulary: bool,
    workers: int,
) -> None:
    """Binarise the corpora of the file CORPORA into the folder DATA_BIN, in fairseq's own layout.

    A folder that exists and was made with the same tokenizer keeps its other corpora. Faults of the raw data are told
    all at once, and nothing is written then. Notices are those of `check`.

    With --trim-vocabulary a model that is trained on the data has far fewer embeddings, with the same outputs: training
    takes the rows of the pieces that stay, by name, from the encoder of --init-from.
    """
    from skill_plugin.checking.check_corpora import check_data, note_text_form
    from skill_plugin.checking.report import CheckReport, CorpusNotice
    from skill_plugin.cli.output import console
    from skill_plugin.cli.progress import EncodingProgress
    from skill_plugin.report.check_table import print_notices, print_text_forms
    from skill_plugin.spec.corpora_file import read_corpora_file
    from skill_plugin.store.prepare import prepare_corpora

    if encoder is None and tokenizer is None:
        raise click.UsageError("give either --encoder or --tokenizer")
    check_tokenizer_options(encoder, tokenizer, dict_txt)
    spec = read_corpora_file(corpora, parse_selection(only_corpora))
    text_encoder, width = open_text_encoder(encoder, tokenizer, dict_txt)
    assert text_encoder is not None
    if trim_vocabulary:
        trimmed = trim_to_corpora(spec, text_encoder, workers)
        text_encoder = trimmed.text
        for line in describe_trimming(trimmed, width):
            console().print(line, markup=False, soft_wrap=True)
    progress, report = EncodingProgress(), CheckReport()

    def look_at(data: CorpusData) -> None:
        check_data(data, report)
        note_text_form(data, report, text_encoder)

    with progress:
        prepared = prepare_corpora(
            spec,
            data_bin,
            text_encoder,
            workers,
            progress.report,
            look_at,
            progress.reading,
        )
    report.notices += [CorpusNotice(row.corpus, row.split, fault) for row in prepared for fault in row.notices]
    show_prepared(console(), prepared)
    print_text_forms(report, console())
    print_notices(report, console())
    console().print(f"{counted(len(spec.corpora), 'corpus', 'corpora')} in {data_bin}", soft_wrap=True)


def show_prepared(console: Console, prepared: Sequence[PreparedSplit]) -> None:
    """The table of what was prepared, and why rows were left out."""
    from rich.table import Table

    from skill_plugin.report.fit import print_table
    from skill_plugin.report.row_count import show_rows

    table = Table(box=None, pad_edge=False)
    table.add_column("corpus", no_wrap=True)
    table.add_column("split")
    for name in ("rows", "skipped", "tokens", "longest", "truncated", "windowed", "unknown"):
        table.add_column(name, justify="right")
    for row in prepared:
        skipped = f"{sum(row.skipped.values()):,}"
        counts = (show_rows(row.rows, row.trained), skipped, f"{row.tokens_mean:.1f}", f"{row.tokens_max:,}")
        truncated, windowed = f"{row.truncated:.1%}", ""
        if row.windowed is not None:
            truncated, windowed = truncated if row.truncated else "", f"{row.windowed:.1%}"
        table.add_row(row.corpus, row.split, *counts, truncated, windowed, f"{row.unknown:.2%}")
    print_table(console, table, lead=2)
    for row in prepared:
        for reason, rows in row.skipped.items():
            told = f"{row.corpus} {row.split}: {counted(rows, 'row')} skipped: {reason}"
            console.print(told, markup=False, soft_wrap=True)
