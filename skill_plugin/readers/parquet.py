"""The format parquet: a row is an object, as in jsonl, and its columns keep their types."""

from __future__ import annotations

from typing import Any

from skill_plugin.readers.extra import import_extra
from skill_plugin.readers.packed import open_seekable
from skill_plugin.readers.record_batches import BATCH, damaged, read_batches
from skill_plugin.readers.row import RowStream, Wanted
from skill_plugin.spec.corpus import Corpus, RawFiles


def read_rows(corpus: Corpus, origin: RawFiles, wanted: Wanted) -> RowStream:
    """The rows of a Parquet file. Columns that nothing asks for are not read.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: the file is no whole Parquet file, or pyarrow is not installed.
    """
    path = origin.file
    parquet = import_extra("pyarrow.parquet", "Parquet files")
    with open_seekable(path) as opened:
        try:
            file = parquet.ParquetFile(opened, page_checksum_verification=True)
            batches = file.iter_batches(BATCH, columns=_needed(corpus, file, wanted), use_threads=False)
        except Exception as error:  # noqa: BLE001 - whatever the library says of damaged bytes
            raise damaged(path, 1, "Parquet", error) from None
        yield from read_batches(corpus, batches, wanted, path, "Parquet")


def _needed(corpus: Corpus, file: Any, wanted: Wanted) -> list[str] | None:
    """The columns to read; None for all, so that a message about one that is missing can name them."""
    known = file.schema_arrow.names
    asked = [str(column) for column in wanted.all] + ([corpus.each] if corpus.each is not None else [])
    needed = dict.fromkeys(name if name in known else name.split(".")[0] for name in asked)
    inside = corpus.each is not None or len(set(known)) < len(known) or any("." in name for name in known)
    return None if inside or any(name not in known for name in needed) else list(needed)
