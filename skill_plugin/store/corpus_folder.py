"""The folder of a corpus in a data folder. While a corpus is replaced, the old or the new one is there at any time."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.files.whole_file import put_in_place, sync

_SUFFIX = ".replaced"


def find_corpus_folder(data_bin: str | PathLike[str], name: str) -> Path:
    """The folder of a corpus, which may not exist. If a process that replaced it was killed, it is the old one."""
    folder, before = Path(data_bin) / name, _aside(Path(data_bin), name)
    return before if not folder.exists() and before.is_dir() else folder


@contextlib.contextmanager
def staying(folder: Path) -> Iterator[None]:
    """Has all that is opened of a corpus be of one `prepare`: the folder must be the same at the end of the block.

    Raises:
        InputError: it was replaced meanwhile, whatever else was found at fault then.
    """
    before = folder.stat() if folder.exists() else None
    try:
        yield
    finally:
        if before is not None and not (folder.exists() and os.path.samestat(before, folder.stat())):
            raise InputError("was replaced while it was read; the same command reads what is there now", folder)


def list_corpus_folders(data_bin: Path) -> list[str]:
    """The names of the corpora in a data folder, sorted."""
    names = {_name(entry) for entry in os.listdir(data_bin)}
    return sorted(name for name in names if (find_corpus_folder(data_bin, name) / "input0").is_dir())


def replace_corpus(new: Path, data_bin: Path, name: str) -> None:
    """Moves a corpus into the data folder; it replaces one of the same name.

    Raises:
        OSError: the corpus cannot be moved.
    """
    target = data_bin / name
    if target.exists():
        os.rename(target, _aside(data_bin, name))
    put_in_place(new, target)
    shutil.rmtree(_aside(data_bin, name), ignore_errors=True)


def restore_corpora(data_bin: Path) -> None:
    """Cleans up after killed processes. The caller must be the only process that writes into the folder."""
    for entry in os.listdir(data_bin):
        name = _name(entry)
        if name == entry:
            continue
        if (data_bin / name).exists():
            shutil.rmtree(data_bin / entry, ignore_errors=True)
        else:
            os.rename(data_bin / entry, data_bin / name)
            sync(data_bin)


def _aside(data_bin: Path, name: str) -> Path:
    return data_bin / f".{name}{_SUFFIX}"


def _name(entry: str) -> str:
    """The name of the corpus of a folder, which may have been moved aside."""
    aside = entry.startswith(".") and entry.endswith(_SUFFIX)
    return entry.removeprefix(".").removesuffix(_SUFFIX) if aside else entry
