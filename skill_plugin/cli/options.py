"""Options that several verbs share: a selection of corpora, and the files of a tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skill_plugin.errors import InputError
from skill_plugin.options.allowed_values import LARGEST

if TYPE_CHECKING:
    from skill_plugin.text.text_encoder import TextEncoder

BATCH_SIZE = click.IntRange(1, LARGEST)


def parse_selection(only_corpora: str | None) -> list[str] | None:
    """The names of ``--only-corpora a,b``; None for all."""
    from skill_plugin.spec.names import read_names  # with it all that reads a corpora file, which --help need not load

    return read_names(only_corpora, "--only-corpora")


def check_tokenizer_options(encoder: str | None, tokenizer: str | None, dict_txt: str | None) -> None:
    """Refuses ``--encoder``, ``--tokenizer`` and ``--dict`` that exclude each other.

    Raises:
        UsageError: two of them do.
    """
    if encoder is not None and tokenizer is not None:
        raise click.UsageError("give either --encoder or --tokenizer, not both")
    if dict_txt is not None and tokenizer is None:
        raise click.UsageError("--dict goes with --tokenizer; an encoder brings its own vocabulary")


def open_text_encoder(encoder: str | None, tokenizer: str | None, dict_txt: str | None) -> TextEncoder | None:
    """The text encoder of ``--encoder``, or of ``--tokenizer`` and ``--dict``; None where neither is given.

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
        return opened
    if encoder is None:
        return None
    from skill_plugin.pretrained.load_encoder import load_encoder_file  # loads torch

    text = load_encoder_file(encoder).text
    if text is None or text.tokenizer is None:
        raise InputError("holds no tokenizer; name one with --tokenizer and --dict", encoder)
    return text
