"""The format arrow: a data set that the library datasets saved to disk, or one file of Arrow's record batches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from skill_plugin.readers.extra import import_extra
from skill_plugin.readers.packed import open_seekable
from skill_plugin.readers.record_batches import damaged, read_batches
from skill_plugin.readers.row import RowStream, UnreadableError, Wanted
from skill_plugin.spec.corpus import Corpus, RawFiles

_FILE = b"ARROW1"  # how a file begins that is no stream


def read_rows(corpus: Corpus, origin: RawFiles, wanted: Wanted) -> RowStream:
    """The rows of a folder that ``Dataset.save_to_disk`` wrote, or of an ``.arrow`` or Feather file.

    Raises:
        OSError: a file cannot be opened.
        UnreadableError: a file is not whole, the folder is no data set, or pyarrow is not installed.
    """
    ipc = import_extra("pyarrow.ipc", "Arrow files")
    before = 0
    for path in list_files(origin.file):
        with open_seekable(path) as opened:
            try:
                batches = _batches(ipc, opened)
            except Exception as error:  # noqa: BLE001 - whatever the library says of damaged bytes
                raise damaged(path, before + 1, "Arrow", error) from None
            before = yield from read_batches(corpus, batches, wanted, path, "Arrow", before)


def list_files(path: Path) -> list[Path]:
    """The files of a data set that was saved to disk, in order; a file is its own.

    Raises:
        UnreadableError: the folder is none, holds several data sets, or rows that were chosen by an index.
    """
    if not path.is_dir():
        return [path]
    if (path / "dataset_dict.json").exists():
        splits = sorted(one.name for one in path.iterdir() if (one / "state.json").exists())
        raise UnreadableError(None, f"the folder holds several data sets; name one of them: {', '.join(splits)}")
    state = path / "state.json"
    try:
        content = json.loads(state.read_text(encoding="utf-8"))
        names = [str(one["filename"]) for one in content["_data_files"]]
        chosen = bool(content.get("_indices_files"))
    except FileNotFoundError:
        raise UnreadableError(None, "the folder has no state.json; expected a data set saved to disk") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UnreadableError(None, "does not say which files the data set has; save it to disk again", state) from None
    if chosen:
        message = "the data set is a selection of the rows of its files; call flatten_indices() and save it again"
        raise UnreadableError(None, message, state)
    return [path / name for name in names]


def _batches(ipc: Any, file: BinaryIO) -> Iterator[Any]:
    magic = file.read(len(_FILE))
    file.seek(0)
    if magic != _FILE:
        return iter(ipc.open_stream(file))
    reader = ipc.open_file(file)
    return map(reader.get_batch, range(reader.num_record_batches))
