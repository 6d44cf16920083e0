"""The rows of a split's files as the reader of their format gives them: as they are read, or kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.row import BadRow, FileNotice, Row, RowRun, RunStream, UnreadableError, Wanted, single_rows
from skill_plugin.readers.spilled import SpilledList
from skill_plugin.spec.columns import Column, list_columns
from skill_plugin.spec.corpus import Corpus, RawFiles
from skill_plugin.spec.formats import FORMATS


class KeptRows:
    """What a stream gives, each time alike: its rows and notices, and the error that ends it early.

    Args:
        stream: is read to its end at once.
    """

    def __init__(self, stream: Iterable[Row | BadRow | FileNotice]) -> None:
        self._items: SpilledList[Row | BadRow | FileNotice] = SpilledList()
        self._end: OSError | UnreadableError | None = None
        try:
            for item in stream:
                self._items.append(item)
        except (OSError, UnreadableError) as error:
            self._end = error

    def __iter__(self) -> Iterator[Row | BadRow | FileNotice]:
        yield from self._items
        if self._end is not None:
            raise self._end


def count_rows(corpus: Corpus, split: str, kept: Sequence[KeptRows] | None = None) -> int:
    """Counts the rows of a split's files, good or bad.

    Args:
        kept: as for ``read_split``.

    Raises:
        OSError: a file cannot be opened.
        UnreadableError: it cannot be read to its end.
    """
    return sum(
        len(item) if isinstance(item, RowRun) else not isinstance(item, FileNotice)
        for _, rows in read_inputs(corpus, split, kept)
        for item in rows
    )


def keep_rows(corpus: Corpus, split: str) -> list[KeptRows]:
    """Reads and keeps the rows of each file of a split, if they are needed more than once."""
    return [KeptRows(single_rows(rows)) for _, rows in read_inputs(corpus, split, None)]


def _wanted(corpus: Corpus, split: str) -> Wanted:
    """The columns to read. A test split may come without answers."""
    kind = kind_named(corpus.kind)
    required: list[Column] = []
    optional: list[Column] = []
    for name, columns in corpus.columns.items():
        if name not in kind.nested:
            may_lack = name in kind.answers and split == "test"
            (optional if may_lack else required).extend(list_columns(columns))
    required += [column for column in corpus.where if column not in required]
    return Wanted(tuple(dict.fromkeys(required)), tuple([ref for ref in optional if ref not in required]))


def read_inputs(
    corpus: Corpus, split: str, kept: Sequence[KeptRows] | None
) -> Iterator[tuple[RawFiles, Iterable[Row | RowRun | BadRow | FileNotice]]]:
    """The inputs of a split with their rows, which are read now if they were not kept."""
    for number, origin in enumerate(corpus.sources[split].inputs):
        yield origin, _rows(corpus, origin, split) if kept is None else kept[number]


def _rows(corpus: Corpus, origin: RawFiles, split: str) -> RunStream:
    reader = import_module(f"skill_plugin.readers.{FORMATS[corpus.format].reader}")
    rows: RunStream = reader.read_rows(corpus, origin, _wanted(corpus, split))
    return rows
