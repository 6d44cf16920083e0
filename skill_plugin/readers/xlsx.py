"""The format xlsx: a sheet of a workbook, whose cells are read as those of a csv file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from skill_plugin.errors import nearest
from skill_plugin.readers.cells import Record
from skill_plugin.readers.delimited import read_records
from skill_plugin.readers.extra import import_extra
from skill_plugin.readers.packed import open_seekable
from skill_plugin.readers.row import FileNotice, RunStream, UnreadableError, Wanted
from skill_plugin.readers.text_lines import LONGEST_DOCUMENT, MOST_BLANK
from skill_plugin.spec.corpus import Corpus, RawFiles

_EXACT = 1e15  # whole numbers below it are written without a point, as a spreadsheet shows them


def read_rows(corpus: Corpus, origin: RawFiles, wanted: Wanted) -> RunStream:
    """The rows of a sheet: the one that ``sheet`` names, else the first. A line number is the number of its row.

    Numbers are text as they are shown, ``true`` and ``false`` are written so, an empty cell is an empty text, and of a
    formula the value is read that was saved with it.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: the file is no workbook, has no such sheet, or openpyxl is not installed.
    """
    with open_seekable(origin.file) as file:
        sheets = _open_sheets(file)
        name = _chosen(corpus, sheets)
        if corpus.sheet is None and len(sheets) > 1:
            others = ", ".join(repr(one) for one in sheets if one != name)
            yield FileNotice(1, f"the sheet {name!r} is read; sheet: NAME reads another one: {others}")
        yield from read_records(corpus, _records(sheets[name]), wanted)


def read_header(corpus: Corpus, origin: RawFiles) -> list[str]:
    """The cells of the first row of the sheet.

    Raises:
        OSError, UnreadableError: as ``read_rows``.
    """
    with open_seekable(origin.file) as file:
        sheets = _open_sheets(file)
        return next(iter(_cells(sheets[_chosen(corpus, sheets)], rows=1)), [])


def read_sheets(path: Path) -> dict[str, list[list[str]]]:
    """The cells of each row of each sheet, without the empty ones at the ends of rows.

    Raises:
        OSError, UnreadableError: as ``read_rows``.
    """
    with open_seekable(path) as file:
        return {name: _cells(sheet) for name, sheet in _open_sheets(file).items()}


def _chosen(corpus: Corpus, sheets: dict[str, Any]) -> str:
    """The name of the sheet that is read."""
    if corpus.sheet is not None and corpus.sheet not in sheets:
        raise UnreadableError(1, f"the workbook has no sheet {corpus.sheet!r}{nearest(corpus.sheet, sheets)}")
    return next(iter(sheets)) if corpus.sheet is None else corpus.sheet


def _open_sheets(file: BinaryIO) -> dict[str, Any]:
    openpyxl = import_extra("openpyxl", "xlsx files")
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        sheets = {str(sheet.title): sheet for sheet in book.worksheets}
    except Exception as error:  # noqa: BLE001 - whatever the library says of damaged bytes
        raise _damaged(1, error) from None
    if not sheets:
        raise UnreadableError(1, "the workbook has no sheet with cells")
    return sheets


def _records(sheet: Any) -> Iterator[Record]:
    """The rows of a sheet, all equally wide; those at its end that are blank are none."""
    rows = _cells(sheet)
    while rows and not rows[-1]:
        rows.pop()
    width = max(map(len, rows), default=0)
    for number, cells in enumerate(rows, 1):
        yield Record(number, number, [*cells, *[""] * (width - len(cells))] if cells else [""], None)


def _cells(sheet: Any, rows: int | None = None) -> list[list[str]]:
    """The cells of each row, or of the first ``rows``, without the empty ones at its end."""
    found: list[list[str]] = []
    blank = size = 0
    try:
        sheet.reset_dimensions()  # what a file says of its size may be wrong
        for values in sheet.iter_rows(max_row=rows, values_only=True):
            cells = [_text(value) for value in values]
            while cells and not cells[-1]:
                cells.pop()
            found.append(cells)
            size += sum(map(len, cells))
            blank = 0 if cells else blank + 1
            if blank > MOST_BLANK or size > LONGEST_DOCUMENT:
                break
    except Exception as error:  # noqa: BLE001 - whatever the library says of damaged bytes
        raise _damaged(len(found) + 1, error) from None
    if size > LONGEST_DOCUMENT:
        raise UnreadableError(len(found), f"the sheet is longer than {LONGEST_DOCUMENT:,} characters; divide it")
    return found


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return str(value)


def _damaged(line: int, error: Exception) -> UnreadableError:
    reason = str(error).strip().split("\n")[0] or type(error).__name__
    return UnreadableError(line, f"not a whole xlsx workbook from here on ({reason[:200]})")
