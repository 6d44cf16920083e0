"""The formats tsv and csv: cells between separators, with or without a header, with or without quotes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from skill_plugin.errors import nearest
from skill_plugin.readers.cells import Record, read_plain, read_quoted
from skill_plugin.readers.row import BadRow, ColumnRef, Notice, Row, RowStream, UnreadableError, Wanted, shorten
from skill_plugin.readers.text_lines import read_lines
from skill_plugin.spec.corpus import Corpus

SEPARATORS = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar"}


def read_delimited(corpus: Corpus, path: Path, wanted: Wanted) -> RowStream:
    """The rows of a tsv or csv file.

    With a header every row must have as many cells as it; without one a row needs the cells up to the last column used,
    and further ones are a notice.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: the header lacks a column, a quote is never closed.
    """
    records = _records(corpus, path)
    if not corpus.header:
        yield from _rows_without_header(corpus, records, wanted)
        return
    header = next(records, None)
    if header is None:
        raise UnreadableError(1, "the file is empty; expected a header and rows")
    if header.problem is not None:
        raise UnreadableError(header.first, header.problem[1])
    places: dict[ColumnRef, int] = {}
    for reference in wanted.all:
        place = _place(reference, header, corpus.separator)
        if place is not None:
            places[reference] = place
        elif reference in wanted.optional:
            close = nearest(str(reference), header.cells)  # worth saying only if it may be the column that was meant
            hint = close if "did you mean" in close else ""
            yield Notice(header.first, f"no column {reference!r} in the header, so the labels are unknown{hint}")
        else:
            raise UnreadableError(header.first, _missing(reference, header, corpus.separator))
    yield from _rows(corpus, records, places, exactly=len(header.cells))


def _records(corpus: Corpus, path: Path) -> Iterator[Record]:
    lines = read_lines(path, corpus.encoding)
    if corpus.quoting == "csv":
        return read_quoted(lines, corpus.separator, corpus.quote)
    return read_plain(lines, corpus.separator)


def _place(reference: ColumnRef, header: Record, separator: str) -> int | None:
    if isinstance(reference, int):
        return reference if reference < len(header.cells) else None
    if header.cells.count(reference) > 1:
        raise UnreadableError(header.first, f"the header names the column {reference!r} twice; use its number from 0")
    return header.cells.index(reference) if reference in header.cells else None


def _missing(reference: ColumnRef, header: Record, separator: str) -> str:
    if isinstance(reference, int):
        found = f"the header has {len(header.cells)} columns"
    else:
        found = f"the header has {shorten(header.cells, 200)}{nearest(reference, header.cells)}"
    return f"no column {reference!r}: {found}{_other_separator(header.cells, separator)}"


def _other_separator(cells: list[str], separator: str) -> str:
    """A hint where a row that is one cell would fall into several at another usual separator."""
    for other, name in SEPARATORS.items():
        if len(cells) == 1 and other != separator and other in cells[0]:
            written = SEPARATORS.get(separator, repr(separator))
            return f"; the row is one cell between {written}s, but holds a {name}: is that the separator?"
    return ""


def _rows_without_header(corpus: Corpus, records: Iterator[Record], wanted: Wanted) -> RowStream:
    places = {reference: reference for reference in wanted.all if isinstance(reference, int)}
    needed = max((reference for reference in wanted.required if isinstance(reference, int)), default=0) + 1
    yield from _rows(corpus, records, places, at_least=needed)


def _rows(
    corpus: Corpus,
    records: Iterator[Record],
    places: dict[ColumnRef, int] | dict[int, int],
    exactly: int | None = None,
    at_least: int = 0,
) -> RowStream:
    used = max(places.values(), default=0) + 1
    longer: list[tuple[int, int]] = []  # (line, cells) of rows beyond the columns used
    looks_quoted: list[int] = []
    for record in records:
        cells = record.cells
        expected = exactly if exactly is not None else at_least
        if record.problem is not None:
            yield BadRow(record.first, *record.problem)
        elif cells == [""] and expected > 1:
            yield BadRow(record.first, "blank line", f"a blank line; expected {expected} cells")
        elif len(cells) != expected if exactly is not None else len(cells) < expected:
            yield BadRow(record.first, "wrong number of cells", _wrong_cells(record, expected, exactly is None, corpus))
        elif record.torn and record.last > record.first:
            message = (
                f"text follows the closing quote of a cell that runs over lines {record.first} to {record.torn}, "
                "so rows may have been merged; quoting: none reads quotes as text"
            )
            yield BadRow(record.first, "rows merged by quotes", message)
        else:
            if exactly is None and len(cells) > used:
                longer.append((record.first, len(cells)))
            if corpus.quoting == "none" and _any_quoted(cells, places):
                looks_quoted.append(record.first)
            yield Row(record.first, {ref: cells[place] for ref, place in places.items() if place < len(cells)})
    if longer:
        sizes = sorted({size for _, size in longer})
        counts = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        yield Notice(longer[0][0], f"rows with {counts} cells, of which only the first {used} are used: {len(longer)}")
    if looks_quoted:
        message = f'rows with cells wrapped in " and "" inside, which quoting: csv would unwrap: {len(looks_quoted)}'
        yield Notice(looks_quoted[0], message)


def _wrong_cells(record: Record, expected: int, or_more: bool, corpus: Corpus) -> str:
    lines = f" over lines {record.first} to {record.last}" if record.last > record.first else ""
    plural = "" if len(record.cells) == 1 else "s"
    message = f"{len(record.cells)} cell{plural}{lines}; expected {expected}{' or more' if or_more else ''}"
    if lines or record.torn:
        message += ": are the quotes text? quoting: none reads them so"
    return message + _other_separator(record.cells, corpus.separator)


def _any_quoted(cells: list[str], places: dict[ColumnRef, int] | dict[int, int]) -> bool:
    for place in places.values():
        cell = cells[place] if place < len(cells) else ""
        if cell.startswith('"') and cell.endswith('"') and '""' in cell[1:-1]:
            return True
    return False
