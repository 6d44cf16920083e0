"""Options that several verbs share, and what their values say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from skill_plugin.errors import InputError
from skill_plugin.options.allowed_values import LARGEST
from skill_plugin.options.corpus_values import parse_each, refuse_others
from skill_plugin.options.decoding import DECODINGS
from skill_plugin.options.pack_size import PACK_SIZE
from skill_plugin.options.splits import SPLITS

if TYPE_CHECKING:
    from skill_plugin.text.text_encoder import TextEncoder

SPLIT = click.Choice(SPLITS)
_BATCH_SIZE = click.IntRange(1, LARGEST)
batch_size_option = click.option("--batch-size", type=_BATCH_SIZE, help="The most sequences in a forward pass.")
pack_size_option = click.option(
    "--batch-size", type=_BATCH_SIZE, default=PACK_SIZE, show_default=True, help="Sequences in a forward pass."
)
device_option = click.option("--device", default="cpu", show_default=True, help="Where to run, in torch's words.")
adapter_option = click.option(
    "--adapter", metavar="FILE", help="Put this adapter on CHECKPOINT, which it was trained beside."
)
verify_option = click.option(
    "--no-verify", is_flag=True, help="Do not compare the folder's files with their checksums."
)
decode_option = click.option(
    "--decode",
    type=click.Choice(DECODINGS),
    default="constrained",
    show_default=True,
    help="How a text-to-text model answers: constrained chooses among the texts of all answers; greedy writes the "
    "likeliest token after the other, and a text that is no answer is unreadable, and wrong.",
)


@contextmanager
def wrong_usage() -> Iterator[None]:
    """Has what is wrong with the form of an option be wrong usage, which needs no file to be seen.

    Raises:
        UsageError: in place of an ``InputError``.
    """
    try:
        yield
    except InputError as error:
        raise click.UsageError(str(error)) from None


def parse_selection(only_corpora: str | None) -> list[str] | None:
    """The names of ``--only-corpora a,b``; None for all.

    Raises:
        UsageError: no name in it, or one twice.
    """
    # with it all that reads a corpora file, which --help need not load
    from skill_plugin.spec.names import read_only_corpora

    with wrong_usage():
        return read_only_corpora(only_corpora)


def parse_checkpoints(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """What an option says that is given as ``CORPUS=CHECKPOINT,…``, once or for each corpus; before anything is read.

    Raises:
        UsageError: not of this form, or a corpus that is named twice.
    """
    form = "CORPUS=CHECKPOINT, as xnli=runs/xnli/checkpoint_last.pt"
    parts = (part for written in values for part in written.split(","))
    with wrong_usage():
        return parse_each(parts, parameter.opts[0], lambda path: path or None, form)


def parse_activations(values: Sequence[str], only: Sequence[str] | None) -> dict[str, str]:
    """What ``--activate CORPUS=…`` says, by corpus.

    Args:
        values: one for each time that the option was given.
        only: the corpora that are read; None for all.

    Raises:
        UsageError: not of this form, or a corpus that is named twice.
        InputError: one that is not read.
    """
    with wrong_usage():
        found = parse_each(values, "--activate", str, "CORPUS=SKILL,SKILL+LANGUAGE")
    if only is not None:
        refuse_others(found, only, "--activate", "--only-corpora names")
    return found


def check_tokenizer_options(encoder: str | None, tokenizer: str | None, dict_txt: str | None) -> None:
    """Refuses ``--encoder``, ``--tokenizer`` and ``--dict`` that exclude each other.

    Raises:
        UsageError: two of them do.
    """
    if encoder is not None and tokenizer is not None:
        raise click.UsageError("give either --encoder or --tokenizer, not both")
    if dict_txt is not None and tokenizer is None:
        raise click.UsageError("--dict goes with --tokenizer; an encoder brings its own vocabulary")


class OpenedTokenizer(NamedTuple):
    """What ``--encoder``, or ``--tokenizer`` and ``--dict`` name.

    Attributes:
        text: the text encoder; None where none of them is given.
        width: D of the encoder that it belongs to; None where that is not known.
    """

    text: TextEncoder | None
    width: int | None


def open_text_encoder(encoder: str | None, tokenizer: str | None, dict_txt: str | None) -> OpenedTokenizer:
    """The text encoder of ``--encoder``, or of ``--tokenizer`` and ``--dict``.

    A tokenizer whose offsets cannot be trusted is used, with a warning; for an encoder ``import`` has warned already.

    Raises:
        InputError: a file is at fault.
    """
    if tokenizer is not None:
        from skill_plugin.cli.output import notes_console
        from skill_plugin.text.tokenizer_files import open_tokenizer
        from skill_plugin.text.trusted_offsets import check_offsets

        opened = open_tokenizer(tokenizer, dict_txt)
        if opened.tokenizer is not None and (note := check_offsets(opened.tokenizer)):
            notes_console().print(f"{tokenizer}: {note}", style="yellow", markup=False, soft_wrap=True)
        return OpenedTokenizer(opened, None)
    return OpenedTokenizer(None, None) if encoder is None else _open_encoder(encoder)


def _open_encoder(file: str) -> OpenedTokenizer:
    """The text encoder of a pretrained encoder or of a trained checkpoint."""
    from skill_plugin.checkpoints.initial_weights import read_initial_weights  # loads torch

    initial = read_initial_weights(file)
    if initial.text is None or initial.text.tokenizer is None:
        raise InputError("holds no tokenizer; name one with --tokenizer and --dict", file)
    return OpenedTokenizer(initial.text, initial.shape.width)
