"""``skill-plugin init FOLDER [CORPORA.yaml]``: guesses a corpora file from raw files, and checks it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skill_plugin.errors import InputError, shown

if TYPE_CHECKING:
    from skill_plugin.guessing.corpus_guess import Guessed


@click.command()
@click.argument("folder", metavar="FOLDER")
@click.argument("corpora", metavar="[CORPORA.yaml]", default="corpora.yaml")
@click.pass_context
def init(context: click.Context, folder: str, corpora: str) -> None:
    """Guess a corpora file from the raw files in a folder, and check it.

    Kind, columns, language, splits and labels of each corpus are guessed from the names and the first rows of its
    files. Comments say why, "look" marks what should be looked at, and TODO what could not be told. Nothing is
    overwritten.
    """
    from skill_plugin.cli.check import check
    from skill_plugin.cli.progress import looking_progress
    from skill_plugin.files.whole_file import write_text
    from skill_plugin.guessing.corpora_text import corpora_text
    from skill_plugin.guessing.find_labels import add_labels
    from skill_plugin.guessing.guess_corpora import guess_corpora

    place, file = Path(folder), Path(corpora)
    if not place.is_dir():
        raise InputError(f"{folder}: no such folder; expected one with raw files")
    if file.exists():
        raise InputError(
            f"{corpora}: is there already, and is not overwritten; name another file: init {folder} NAME.yaml"
        )
    with looking_progress() as advance:
        found = guess_corpora(place, file, advance)
        if found.corpora:
            add_labels(found, folder, file)
    if not found.corpora:
        reasons = "".join(f"; {left.path}: {left.why}" for left in found.left_out[:3])
        raise InputError(f"{folder}: no file that any kind is like{reasons}")
    write_text(file, corpora_text(found, folder))
    _tell(found, corpora)
    context.invoke(check, corpora=corpora)


def _tell(found: Guessed, corpora: str) -> None:
    """What was guessed, in a line for each corpus, and what was left open."""
    for corpus in found.corpora:
        keys = {key: value for key, (value, _) in corpus.keys.items()}
        splits = ", ".join(split for split in ("train", "valid", "test") if split in keys)
        mark = "TODO" if corpus.open else "look" if corpus.doubts else "    "
        kind = keys.get("kind") or f"as {keys['as']}"
        what = f"{kind}, {keys['language']}, {splits}"
        click.echo(f"{mark}  {shown(corpus.name)}: {what}")
        for reason in (*corpus.open, *corpus.doubts):
            click.echo(f"        {shown(reason)}")
    for left in found.left_out:
        click.echo(f"TODO  {shown(str(left.path))}: {shown(left.why)}")
    click.echo(f"wrote {shown(corpora)}")
