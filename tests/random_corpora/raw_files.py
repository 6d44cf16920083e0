"""The raw files of a split: one or two of all columns, or one for each column; some packed, some broken."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Sequence

from backports import zstd

from tests.random_corpora.cells import cells_of
from tests.random_corpora.count_rows import count_rows
from tests.random_corpora.drawn import Drawn
from tests.random_corpora.formats import WRITERS
from tests.random_corpora.rows import Columns, Row

PACKERS = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstd.compress}
Files = dict[str, bytes]  # by name


def split_files(drawn: Drawn, split: str, rows: Sequence[Row]) -> tuple[Files, int]:
    """The files of a split, and the rows in them; -1 where the standard library cannot read one."""
    half = len(rows) // 2 if len(rows) > 5 and drawn.rng.random() < 0.2 else len(rows)
    files: Files = {}
    counted = []
    for number, part in enumerate(filter(None, (rows[:half], rows[half:]))):
        data, count = _content(drawn, part, broken=drawn.broken and split == "train")
        name = f"{drawn.name}.{split}.{number}.txt"
        if drawn.rng.random() < 0.2:
            packer = drawn.rng.choice([*PACKERS])
            name, data = name + packer, PACKERS[packer](data)
        files[name] = data
        counted.append(count)
    return files, sum(counted) if min(counted) >= 0 else -1


def column_files(drawn: Drawn, split: str, rows: Sequence[Row], columns: Columns) -> tuple[dict[str, bytes], int]:
    """A file for each column, by what it is of the kind's columns, and the rows in them."""
    cells = [cells_of(drawn.kind, row) for row in rows]
    files = {
        meaning: "".join(row[column] + drawn.end for row in cells).encode(drawn.encoding)
        for meaning, column in columns.items()
    }
    return files, _count_filled(drawn, rows)


def _content(drawn: Drawn, rows: Sequence[Row], broken: bool) -> tuple[bytes, int]:
    """A file with its rows; a broken binary one is cut in half."""
    written = WRITERS[drawn.format](drawn, rows)
    if isinstance(written, bytes):
        filled = _count_filled(drawn, rows) if drawn.format == "xlsx" else len(rows)
        return (written[: len(written) // 2], -1) if broken else (written, filled)
    text = _break(drawn, written) if broken else written
    return text.encode(drawn.encoding), count_rows(drawn.format, text, drawn.header, drawn.separator)


def _count_filled(drawn: Drawn, rows: Sequence[Row]) -> int:
    """The rows without those at the end that are blank, which are none."""
    count = len(rows)
    while count and not any(cells_of(drawn.kind, rows[count - 1]).values()):
        count -= 1
    return count


def _break(drawn: Drawn, text: str) -> str:
    """Something that people's files have: a line that is lost, doubled, cut, blank, or of other cells."""
    lines = text.split(drawn.end)
    first = int(drawn.header and drawn.format in ("tsv", "csv"))  # without its header nothing of a file can be counted
    at = drawn.rng.randrange(first, max(first + 1, len(lines) - 1))
    match drawn.rng.choice(["blank", "double", "cut", "more", "less", "end"]):
        case "blank":
            lines.insert(at, "")
        case "double":
            lines.insert(at, lines[at])
        case "cut":
            lines[at] = lines[at][: len(lines[at]) // 2]
        case "more":
            lines[at] += drawn.separator + "more"
        case "less":
            lines[at] = lines[at].rpartition(drawn.separator)[0]
        case "end":
            lines += ["", ""]
    return drawn.end.join(lines)
