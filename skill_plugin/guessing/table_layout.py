"""Tables in text: what separates cells, whether cells are quoted, whether the first row is a header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skill_plugin.errors import counted
from skill_plugin.guessing.column import Column
from skill_plugin.guessing.header import find_header
from skill_plugin.guessing.layout import Layout
from skill_plugin.readers.cells import Record, RecordRun, read_plain, read_quoted
from skill_plugin.readers.row import UnreadableError
from skill_plugin.readers.row_width import SEPARATORS
from skill_plugin.readers.text_lines import Line

_ALIKE = {"\t": 0.5, ",": 0.97, ";": 0.97, "|": 0.97}  # share of rows with one number of cells: texts hold few tabs


def table_layout(path: Path, lines: Sequence[str]) -> Layout | None:
    """The layout of a table; None if it is none."""
    text = [line.removesuffix("\r") for line in lines]
    if re.fullmatch('"?sep=."?', text[0]):  # of Excel
        del text[0]
    likely: tuple[Any, ...] | None = None
    for separator in _by_likelihood(path):
        quoting, why = _quoting(text, separator)
        records = _records(text, separator, quoting)
        filled = [record.cells for record in records if record.cells != [""]]
        widths = Counter(map(len, filled))
        width, count = max(widths.items(), key=lambda item: item[1], default=(1, 0))
        blank, alike = len(records) - len(filled), len(widths) == 1
        if blank:
            widths[0] = blank
        if width > 1 and count >= _ALIKE[separator] * len(filled) and (alike or likely is None):
            likely = separator, quoting, why, filled, widths, width
            if alike:  # what divides all rows into as many cells is likelier than what comes before it
                break
    return None if likely is None else _layout(*likely)


def _by_likelihood(path: Path) -> list[str]:
    """Separators in the order in which they are tried: of a file that is called csv the comma comes early."""
    return sorted(SEPARATORS, key=lambda one: (one != "\t", one != ("," if ".csv" in path.suffixes else ";")))


def _layout(separator: str, quoting: str, why: str, rows: list[list[str]], widths: Counter[int], width: int) -> Layout:
    format_ = "csv" if separator == "," or (separator != "\t" and quoting == "csv") else "tsv"
    keys: dict[str, tuple[Any, str]] = {}
    if separator != ("," if format_ == "csv" else "\t"):
        keys["separator"] = (separator, f"a {SEPARATORS[separator]} stands between cells")
    header, reason = find_header(rows, width)
    if not header:
        keys["header"] = (False, reason)
    if quoting != ("csv" if format_ == "csv" else "none") or (why and format_ == "tsv"):
        keys["quoting"] = (quoting, why)
    cells = rows[1:] if header else rows
    names: list[Any] = [*range(width)]
    if header:
        repeated = Counter(rows[0])
        names = [name if name and repeated[name] == 1 else place for place, name in enumerate(rows[0])]
    columns = [
        Column(name, [row[place] if place < len(row) else None for row in cells]) for place, name in enumerate(names)
    ]
    said = f"{SEPARATORS[separator]}s between {counted(width, 'cell')}, "
    said += f"with{'' if header else 'out'} a header ({reason})"
    return Layout(format_, said, columns, keys, widths=widths)


def _quoting(lines: Sequence[str], separator: str) -> tuple[str, str]:
    """Whether cells are wrapped in quotes, with the reason where there are quotes at all."""
    if not any('"' in line for line in lines):
        return ("csv" if separator == "," else "none"), ""
    plain = _records(lines, separator, "none")
    with_quote = [cell for record in plain for cell in record.cells if '"' in cell]
    wrapped = [cell for cell in with_quote if _is_wrapped(cell)]
    doubled = sum('""' in cell[1:-1] for cell in wrapped)
    lone = sum('"' in cell.replace('""', "") for cell in with_quote if not _is_wrapped(cell))
    if separator != "\t" and lone <= len(wrapped):
        return "csv", f'{len(wrapped)} cells are wrapped in "'
    if separator != "\t":
        widths = {len(record.cells) for record in _records(lines, separator, "csv")}
        if len(widths) <= len({len(record.cells) for record in plain}):
            return "csv", 'all rows have as many cells so, with cells wrapped in "'
    elif _only_quoted_alike(lines, separator, plain):
        return "csv", 'all rows have as many cells so, with cells that go on over line ends or tabs wrapped in "'
    if doubled and lone <= 0.1 * len(with_quote):
        return "csv", f'{doubled} of {len(with_quote)} cells with " are wrapped in it and double it inside'
    if lone:
        return "none", f'{lone} of {len(with_quote)} cells have a lone " inside, so that it is text'
    share = len(wrapped) / max(1, sum(len(record.cells) for record in plain))
    if share > 0.3:
        return "csv", f'{share:.0%} of cells are wrapped in "'
    return "none", 'few cells have ", and none of them doubles it'


def _is_wrapped(cell: str) -> bool:
    """Whether it begins and ends with a quote, and has none inside that is not doubled."""
    return len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in cell[1:-1].replace('""', "")


def _only_quoted_alike(lines: Sequence[str], separator: str, plain: Sequence[Record]) -> bool:
    """Whether all rows have as many cells if quotes mean something, and only then."""
    quoted = _records(lines, separator, "csv")
    if not quoted or quoted[-1].last < 0.9 * len(lines) or any(record.torn for record in quoted):
        return False  # a quote that nothing closes, or text behind one
    widths = [{len(one.cells) for one in records if one.cells != [""]} for records in (quoted, plain)]
    return len(widths[0]) == 1 < len(widths[1])


def _records(lines: Sequence[str], separator: str, quoting: str) -> list[Record]:
    stream = [Line(number, line, "\n", None) for number, line in enumerate(lines, 1)]
    found: list[Record] = []
    try:
        for item in read_quoted(stream, separator, '"') if quoting == "csv" else read_plain(stream, separator):
            found.extend(item) if isinstance(item, RecordRun) else found.append(item)
    except UnreadableError:  # a quote that the sample cuts, or that nothing closes
        pass
    return found
