"""Reads one split of a corpus: which rows of which files are its."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat

from skill_plugin.errors import InputError
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.cell_values import read_scalar
from skill_plugin.readers.cut_rows import UndividedError, divide_rows, row_key
from skill_plugin.readers.example import Fault
from skill_plugin.readers.item_reader import ItemReader
from skill_plugin.readers.left_out import DroppedError, RejectedError
from skill_plugin.readers.mix_parts import select_part
from skill_plugin.readers.row import BadRow, FileNotice, Row, UnreadableError, single_rows
from skill_plugin.readers.split_collector import SplitCollector
from skill_plugin.readers.split_data import SplitData
from skill_plugin.readers.split_reading import SplitReading
from skill_plugin.readers.split_rows import KeptRows, count_rows, read_inputs
from skill_plugin.spec.corpus import Corpus

OTHER_SPLIT = "in another split of the file"
OTHER_PART = "in another part of the mix"


def read_split(
    corpus: Corpus,
    split: str,
    labels: Sequence[str] | None = None,
    divided: Sequence[str] | None = None,
    kept: Sequence[KeptRows] | None = None,
) -> SplitData:
    """Reads one split of a corpus.

    A row is a line of a table, a JSON object, a sentence of a conll file, a question of a squad file. It is left out,
    and counted by reason, when ``where`` or ``drop_labels`` says so, and when it is broken; a broken row is also a
    fault unless the corpus says ``on_bad_row: skip``. An unknown label is always a fault; an unknown tag is one in
    train, and where the corpus names its labels. Of a mix, and of a file that is divided into splits, only the rows of
    this part are read; the others are counted as left out.

    Args:
        split: ``train``, ``valid`` or ``test``; one that the corpus has.
        labels: the labels that may occur; by default the corpus's ``labels``, or any if it names none. For valid and
            test of such a corpus give ``find_labels(corpus, train)``.
        divided: ``divide_train_rows(corpus)``, if that is known already.
        kept: ``keep_rows(corpus, split)``, if its files have been read already; for a split that is made of train, the
            rows of train.
    """
    source = corpus.sources[split]
    collector = SplitCollector(corpus, split, corpus.labels if labels is None else labels)
    if collector.files_are_there():
        try:
            mine, other = _select_rows(corpus, split, divided, kept)
        except UndividedError as error:
            message = f"corpus {corpus.name!r}: split: {error}"
            collector.result.faults.append(Fault(str(corpus.file), error.line, message))
            return collector.result
        for origin, rows in read_inputs(corpus, split if source.cut is None else "train", kept):
            collector.begin(origin)
            try:
                for item in rows if mine is None else single_rows(rows):
                    if isinstance(item, FileNotice):
                        if source.cut is None or split == "train":  # it is of the whole file, and told once
                            collector.take(item)
                    elif mine is None or next(mine):
                        collector.take(item)
                    else:
                        collector.result.skipped[other] += 1
            except UnreadableError as error:
                collector.unreadable(error)
            except OSError as error:
                collector.cannot_open(str(error.filename or ""), error)
        collector.finish()
    return collector.result


def _select_rows(
    corpus: Corpus, split: str, divided: Sequence[str] | None, kept: Sequence[KeptRows] | None
) -> tuple[Iterator[bool] | None, str]:
    """For each row whether it is of the split, or of the corpus's part of a mix, and why other rows are skipped; None
    if all rows are."""
    source = corpus.sources[split]
    if source.cut is not None:
        known = divide_train_rows(corpus, kept) if divided is None else divided
        return chain((name == split for name in known or ()), repeat(split == "train")), OTHER_SPLIT
    if source.part is None:
        return None, ""
    try:
        return map(bool, select_part(source.part, count_rows(corpus, split, kept))), OTHER_PART
    except (OSError, UnreadableError):  # told where the rows are read
        return None, ""


def divide_train_rows(corpus: Corpus, kept: Sequence[KeptRows] | None = None) -> list[str] | None:
    """The split of each row of train, if other splits are made of it; otherwise None.

    Args:
        kept: as for ``read_split``.

    Raises:
        UndividedError: no row would be left to train.
    """
    source = corpus.sources.get("train")
    if source is None or source.cut is None:
        return None
    items = kind_named(corpus.kind).reader(SplitReading(corpus, "train", corpus.labels, ""))
    keys: list[str | None] = []
    first: dict[tuple[int, str], str] = {}  # number of the file and group -> key of the first row
    for number, (_, rows) in enumerate(read_inputs(corpus, "train", kept)):
        items.begin_file()
        try:
            for item in single_rows(rows):
                if not isinstance(item, FileNotice):
                    key = _key(corpus, items, item)
                    if key is not None and isinstance(item, Row) and (group := items.group(item)):
                        key = first.setdefault((number, group), key)
                    keys.append(key)
        except (OSError, UnreadableError):  # told where the rows are read
            continue
    return divide_rows(source.cut, keys)


def _key(corpus: Corpus, items: ItemReader, item: Row | BadRow) -> str | None:
    """The key of a row for ``divide_rows``; None if it is broken or left out."""
    if not isinstance(item, Row):
        return None
    if any(read_scalar(item.values[column])[0] not in allowed for column, allowed in corpus.where.items()):
        return None
    try:
        items.read(item)
        return row_key(items.first_text(item), list(item.values.values()))
    except (DroppedError, RejectedError):
        return None


def find_labels(corpus: Corpus, train: SplitData | None) -> tuple[str, ...]:
    """The labels in the order of their ids: those of the corpora file, or those of train, sorted (of tags O first).

    Raises:
        InputError: the corpus has neither.
    """
    if corpus.labels is not None:
        return corpus.labels
    if train is None:
        message = f"corpus {corpus.name!r} has neither 'labels' nor a train split to read them from"
        raise InputError(message, corpus.file, corpus.line)
    return kind_named(corpus.kind).sort_labels(train.examples.label_counts())
