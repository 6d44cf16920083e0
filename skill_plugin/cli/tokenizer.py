"""``skill-plugin tokenizer CORPORA.yaml OUT.model``: a SentencePiece model of the corpora's own texts."""

from __future__ import annotations

from pathlib import Path

import click

from skill_plugin.cli.options import parse_selection


@click.command()
@click.argument("corpora", type=click.Path(path_type=Path))
@click.argument("out", metavar="OUT.model", type=click.Path(path_type=Path))
@click.option("--only-corpora", metavar="A,B", help="Learn from the texts of these corpora only.")
@click.option(
    "--pieces",
    type=click.IntRange(100, 250_000),
    default=8000,
    show_default=True,
    help="The most pieces that it learns.",
)
def tokenizer(corpora: Path, out: Path, only_corpora: str | None, pieces: int) -> None:
    """Learn pieces of words from the training texts of the file CORPORA, for a model that starts from random weights.

    Writes a SentencePiece model, which `prepare --tokenizer` takes. A pretrained encoder has its own tokenizer.
    """
    from skill_plugin.cli.progress import EncodingProgress
    from skill_plugin.files.whole_file import check_output
    from skill_plugin.readers.read_corpus import CorpusReader
    from skill_plugin.spec.corpora_file import read_corpora_file
    from skill_plugin.store.corpus_texts import training_texts
    from skill_plugin.text.learn_pieces import learn_pieces

    spec, progress = read_corpora_file(corpora, parse_selection(only_corpora)), EncodingProgress()
    check_output(out, corpora, *spec.raw_files)
    with progress:
        learned = learn_pieces(training_texts(CorpusReader(spec), progress.reading), out, pieces)
    click.echo(f"wrote {out} ({learned:,} pieces)")
