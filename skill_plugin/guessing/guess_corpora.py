"""The corpora of a folder: its files, grouped, each group with its kind, columns, language and splits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from skill_plugin.errors import reason_of
from skill_plugin.guessing.corpus_guess import Guessed, LeftOut
from skill_plugin.guessing.file_groups import DataFile, group_files
from skill_plugin.guessing.file_names import corpus_name, read_name
from skill_plugin.guessing.find_files import find_files
from skill_plugin.guessing.group_guesser import GroupGuesser
from skill_plugin.guessing.layout import Layout, find_layout
from skill_plugin.guessing.unused_names import UnusedNames


def guess_corpora(folder: Path, written: Path, advance: Callable[[str], None] = lambda name: None) -> Guessed:
    """Guesses all that the files below a folder hold.

    Args:
        folder: with raw files.
        written: the corpora file that will be written; paths in it count from its folder.
        advance: is told the name of each file that was looked at.
    """
    found, files = Guessed(), []
    for path in find_files(folder):
        if path.resolve() == written.resolve():
            continue
        try:
            layout = find_layout(path)
        except OSError as error:
            layout = reason_of(error)
        if isinstance(layout, Layout):
            files.append(DataFile(read_name(path, folder), layout))
        else:
            found.left_out.append(LeftOut(path, layout))
        advance(path.name)
    groups, names = group_files(files), UnusedNames()
    for group in groups:
        alone = sum(other.folder == group.folder for other in groups) == 1
        name = names.take(corpus_name(group.folder, group.key, alone, folder.resolve().name))
        GroupGuesser(group, written.parent, names).guess(name, found)
    return found
