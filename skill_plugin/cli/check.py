"""``skill-plugin check CORPORA.yaml``: reads all raw files, reports every fault, shows what the corpora hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from skill_plugin.cli.options import check_tokenizer_options, open_text_encoder, parse_selection
from skill_plugin.errors import InputError, shown
from skill_plugin.options.allowed_values import LARGEST
from skill_plugin.options.max_length import MAX_LENGTH

if TYPE_CHECKING:
    from skill_plugin.checking.report import CheckReport
    from skill_plugin.text.text_encoder import TextEncoder


@click.command()
@click.argument("corpora", metavar="CORPORA.yaml")
@click.option("--only-corpora", metavar="A,B", help="Check only these corpora.")
@click.option("--encoder", metavar="IMPORTED.pt", help="Count tokens as this encoder's tokenizer makes them.")
@click.option(
    "--tokenizer", metavar="MODEL", help="Count tokens with a SentencePiece model, tokenizer.json or vocab.txt."
)
@click.option("--dict", "dict_txt", metavar="DICT", help="fairseq's dict.txt that belongs to --tokenizer.")
@click.option(
    "--max-length",
    type=click.IntRange(1, LARGEST),
    default=MAX_LENGTH,
    show_default=True,
    help="Tokens for corpora without a max_length of their own.",
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON document to standard output.")
@click.pass_context
def check(
    context: click.Context,
    corpora: str,
    only_corpora: str | None,
    encoder: str | None,
    tokenizer: str | None,
    dict_txt: str | None,
    max_length: int,
    as_json: bool,
) -> None:
    """Read all raw files of the corpora and report what is in them.

    Faults, which would lose or corrupt rows, go to standard error as FILE:LINE: MESSAGE, and the exit status is 1 if
    there are any. Repeated rows, rows of train in valid, truncation and the like are notices. Of each fault of a
    file the first 20 rows are named, and the others counted. Lengths are of what is read at a time (a query with one of
    its candidates, a question with its context), in characters, or with a tokenizer in tokens.
    """
    from skill_plugin.readers import Fault
    from skill_plugin.readers.example import faults_to_tell

    check_tokenizer_options(encoder, tokenizer, dict_txt)
    try:
        report = _check(corpora, only_corpora, open_text_encoder(encoder, tokenizer, dict_txt).text, max_length)
    except InputError as error:
        if as_json:
            from skill_plugin.checking.report import CheckReport

            faults = [Fault(error.file or corpora, error.line, error.message)]
            click.echo(_json(CheckReport(faults=faults)))
        raise
    if as_json:
        click.echo(_json(report))
    else:
        _print(report)
    for fault in faults_to_tell(report.faults):
        place, message = shown(str(fault).removesuffix(fault.message)), shown(fault.message)
        click.echo(click.style(place, fg="red", bold=True) + message, err=True)  # plain where that is no terminal
    if report.faults:
        context.exit(1)


def _json(report: CheckReport) -> str:
    return json.dumps(report.to_json(), indent=2, allow_nan=False)


def _check(corpora: str, only: str | None, text_encoder: TextEncoder | None, max_length: int) -> CheckReport:
    from skill_plugin.spec import read_corpora_file

    corpora_file = read_corpora_file(corpora, parse_selection(only))
    # after the file, which needs the tables of langcodes: they take twice as long to load where numpy is there already
    from skill_plugin.checking.check_corpora import check_corpora
    from skill_plugin.cli.progress import reading_progress

    with reading_progress(len(corpora_file.corpora)) as advance:
        return check_corpora(corpora_file, text_encoder, max_length, advance)


def _print(report: CheckReport) -> None:
    from skill_plugin.cli.output import console
    from skill_plugin.report.check_table import print_report

    print_report(report, console())
