"""The formats tsv and csv: cells between separators, with or without a header, with or without quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from skill_plugin.errors import counted, nearest
from skill_plugin.readers.cells import Record, RecordRun, quotes_hint, read_plain, read_quoted
from skill_plugin.readers.header_values import HeaderValues
from skill_plugin.readers.outer_quotes import OuterQuotes
from skill_plugin.readers.row import (
    BadRow,
    FileNotice,
    Row,
    RowRun,
    RunStream,
    UnreadableError,
    Wanted,
    count_cells_needed,
    shorten,
)
from skill_plugin.readers.row_width import SAMPLED_ROWS, RowWidth, suggest_separator
from skill_plugin.readers.text_columns import TextColumns
from skill_plugin.readers.text_lines import Line, LineRun, read_line_runs
from skill_plugin.spec.columns import Column
from skill_plugin.spec.corpus import Corpus, RawFiles

Places = dict[Column, int]
_SEPARATOR_LINE = re.compile('"?sep=(.)"?')  # of Excel


def read_rows(corpus: Corpus, origin: RawFiles, wanted: Wanted) -> RunStream:
    """The rows of a tsv or csv file.

    Every row must have as many cells as the header, or without one as most rows, unless ``extra_cells`` or
    ``missing_cells`` allows others. A line ``sep=;`` before all others is no row.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: the header lacks a column, a quote is never closed, ``sep=`` names another separator.
    """
    lines = read_line_runs(origin.file, corpus.encoding)
    first = next(lines, None)
    if isinstance(first, Line) and (match := _SEPARATOR_LINE.fullmatch(first.text)):
        if match[1] != corpus.separator:
            message = f"the line {first.text!r} says what separates cells; expected separator: {match[1]!r}"
            raise UnreadableError(first.number, message)
        yield FileNotice(first.number, f"the line {first.text!r} says what separates cells, and is no row")
        first = None
    yield from read_records(corpus, _records(corpus, lines if first is None else chain([first], lines)), wanted)


def read_records(corpus: Corpus, records: Iterator[Record | RecordRun], wanted: Wanted) -> RunStream:
    """The rows of a table whose rows are given as cells.

    Raises:
        UnreadableError: the header lacks a column.
    """
    if corpus.header:
        yield from _rows_with_header(corpus, records, wanted)
    else:
        yield from _rows_without_header(corpus, records, wanted)


def read_header(corpus: Corpus, origin: RawFiles) -> list[str]:
    """The cells of the first row of a tsv or csv file; none where it has none.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: a quote is never closed.
    """
    lines = (
        line
        for line in read_line_runs(origin.file, corpus.encoding)
        if not (isinstance(line, Line) and line.number == 1 and _SEPARATOR_LINE.fullmatch(line.text))
    )
    first = next(_records(corpus, lines), None)
    return [] if first is None else next(iter(first)).cells if isinstance(first, RecordRun) else first.cells


def _records(corpus: Corpus, lines: Iterable[Line | LineRun]) -> Iterator[Record | RecordRun]:
    if corpus.quoting == "csv":
        return read_quoted(lines, corpus.separator, corpus.quote, corpus.escape)
    return read_plain(lines, corpus.separator, corpus.max_cells)


def _rows_with_header(corpus: Corpus, records: Iterator[Record | RecordRun], wanted: Wanted) -> RunStream:
    header = next(records, None)
    if isinstance(header, RecordRun):
        header, *others = header
        records = chain(others, records)
    if header is None:
        raise UnreadableError(1, "the file is empty; expected a header and rows")
    if header.problem is not None:
        raise UnreadableError(header.first, header.problem[1])
    places: Places = {}
    unknown: list[Column] = []
    for reference in wanted.all:
        place = _place(reference, header)
        if place is not None:
            places[reference] = place
        elif reference in wanted.optional:
            unknown.append(reference)
        else:
            raise UnreadableError(header.first, _missing(reference, header, corpus.separator))
    if unknown:
        close = nearest(str(unknown[0]), header.cells)  # worth saying only if it may be the column that was meant
        hint = close if "did you mean" in close else ""
        named = ", ".join(map(repr, unknown))
        yield FileNotice(header.first, f"no column {named} in the header, so the labels are unknown{hint}")
    yield from _rows(corpus, records, places, RowWidth(corpus, len(header.cells)), header)


def _place(reference: Column, header: Record) -> int | None:
    if isinstance(reference, int):
        place = reference if reference >= 0 else len(header.cells) + reference
        return place if 0 <= place < len(header.cells) else None
    if header.cells.count(reference) > 1:
        raise UnreadableError(header.first, f"the header names the column {reference!r} twice; use its number from 0")
    return header.cells.index(reference) if reference in header.cells else None


def _missing(reference: Column, header: Record, separator: str) -> str:
    if isinstance(reference, int):
        found = f"the header has {counted(len(header.cells), 'column')}"
    else:
        found = f"the header has {shorten(header.cells, 200)}{nearest(reference, header.cells)}"
    return f"no column {reference!r}: {found}{suggest_separator(header.cells, separator)}"


def _rows_without_header(corpus: Corpus, records: Iterator[Record | RecordRun], wanted: Wanted) -> RunStream:
    places: Places = {reference: reference for reference in wanted.all if isinstance(reference, int)}
    needed = max(count_cells_needed(places[reference] for reference in wanted.required if reference in places), 1)
    sample: list[Record] = []
    broken = None
    try:
        while len(sample) < SAMPLED_ROWS and (item := next(records, None)) is not None:
            sample += item if isinstance(item, RecordRun) else [item]
    except UnreadableError as error:  # after rows that are told first
        broken = error
    width = RowWidth.of_rows(corpus, sample[:SAMPLED_ROWS], needed, max(count_cells_needed(places.values()), 1))
    yield from _rows(corpus, chain(sample, records), places, width, blank_row=needed == 1)
    if broken is not None:
        raise broken


def _rows(
    corpus: Corpus,
    records: Iterable[Record | RecordRun],
    places: Places,
    width: RowWidth,
    header: Record | None = None,
    blank_row: bool = False,
) -> RunStream:
    """Rows with the columns at ``places``. With ``blank_row`` a blank line is a row of one empty cell."""
    first = max([0, *(place + 1 for place in places.values())])
    quotes = OuterQuotes(corpus)
    named = HeaderValues(corpus, header.first, header.cells, places) if header is not None else None
    may_be_longer = corpus.extra_cells == "drop" and all(place >= 0 for place in places.values())
    for record in _ordinary_runs(records, width.cells, may_be_longer, header):
        if isinstance(record, RecordRun):
            if may_be_longer:
                width.allow_longer(record)
            run = RowRun(record.first, _columns(record.rows, places, first, width.cells), len(record.rows))
            quotes.see_run(run)
            if named is not None:
                named.see_run(run)
            yield run
            continue
        bad = _bad_row(record, width, header, blank_row)
        if bad is not None:
            yield bad
            continue
        values = _values(record.cells, places, first, width.cells)
        quotes.see(record.first, values)
        if named is not None:
            named.see(values)
        yield Row(record.first, values)
    yield from width.notices()
    yield from quotes.notices()
    if named is not None:
        yield from named.notices()


def _bad_row(record: Record, width: RowWidth, header: Record | None, blank_row: bool) -> BadRow | None:
    """What is wrong with a record, if it is no row."""
    cells = record.cells
    if record.problem is not None:
        return BadRow(record.first, *record.problem)
    if header is not None and len(cells) > 1 and _same_cells(cells, header.cells):
        return BadRow(record.first, "header again", "the row is the header again; expected values")
    if cells == [""] and width.cells > 1 and not blank_row:
        return BadRow(record.first, "blank line", f"a blank line; expected {counted(width.cells, 'cell')}")
    if (cells != [""] or not blank_row) and (message := width.fault(record)) is not None:
        return BadRow(record.first, "wrong number of cells", message)
    return _torn(record) if record.torn else None


def _ordinary_runs(
    records: Iterable[Record | RecordRun], cells: int, may_be_longer: bool, header: Record | None
) -> Iterator[Record | RecordRun]:
    """Divides runs at rows that have a wrong number of cells, or may repeat the header; those come alone."""
    last = header.cells[-1] if header is not None else None
    for item in records:
        if not isinstance(item, RecordRun):
            yield item
            continue
        rows, start = item.rows, 0
        if isinstance(rows, TextColumns):
            width = len(rows.columns)
            if (width == cells or (may_be_longer and width > cells)) and last not in rows.columns[-1]:
                yield item
                continue
            rows = [*map(list, rows)]
        odd = [
            number
            for number, row in enumerate(rows)
            if (len(row) != cells and not (may_be_longer and len(row) > cells)) or row[-1] == last
        ]
        for at in odd:
            if start < at:
                yield RecordRun(item.first + start, rows[start:at])
            yield Record(item.first + at, item.first + at, rows[at], None)
            start = at + 1
        if start < len(rows):
            yield RecordRun(item.first + start, rows[start:] if start else rows)


def _same_cells(cells: list[str], header: list[str]) -> bool:
    """Whether a row repeats the header, as in files that were joined; it may then begin with a byte order mark."""
    return cells[1:] == header[1:] and cells[0].removeprefix("\ufeff") == header[0]


def _values(cells: list[str], places: Places, first: int, width: int) -> dict[Column, str]:
    """The wanted cells by column. Cells that the row lacks are empty; a column that no row has is left out.

    Columns that are counted from the end lie behind the ``first`` cells.
    """
    size = len(cells)
    found: dict[Column, str] = {}
    for reference, place in places.items():
        if place < 0:
            if size + place >= first:
                found[reference] = cells[place]
        elif place < max(size, width):
            found[reference] = cells[place] if place < size else ""
    return found


def _columns(rows: TextColumns | list[list[str]], places: Places, first: int, width: int) -> dict[Column, list[str]]:
    """``_values`` of rows that all have ``width`` cells."""
    found = {
        column: place for column, place in places.items() if (place < width if place >= 0 else width + place >= first)
    }
    if isinstance(rows, TextColumns):
        return {column: rows.columns[place] for column, place in found.items()}
    return {column: [row[place] for row in rows] for column, place in found.items()}


def _torn(record: Record) -> BadRow:
    text, hint = "text follows the closing quote of a cell", quotes_hint(record)
    if record.last == record.first:
        return BadRow(record.first, "text after a closing quote", f"{text}: are the quotes text? {hint}")
    message = f"{text} that runs over lines {record.first} to {record.torn}, so rows may have been merged; {hint}"
    return BadRow(record.first, "rows merged by quotes", message)
