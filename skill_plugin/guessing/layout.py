"""How a raw file is written: its format with the keys that read it, and its first rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.encoding import find_encoding
from skill_plugin.readers.packed import PACKED, open_seekable, open_unpacked, unpacking_errors
from skill_plugin.readers.row import UnreadableError

SAMPLED_LINES = 4000
_HEAD = 1 << 16  # bytes


@dataclass
class Layout:
    """How a file is written.

    Attributes:
        format: of the corpora file.
        why: the reason for it.
        columns: with the values of its first rows.
        keys: keys of the corpus that say how it is read, each with its value and the reason.
        running, commented, known: as in ``Sample``.
        widths: how many rows of a table have how many cells; 0 cells are a blank line.
        lines: the lines of a file that is read line by line, to the last one.
    """

    format: str
    why: str
    columns: list[Column]
    keys: dict[str, tuple[Any, str]] = field(default_factory=dict)
    running: bool = False
    commented: bool = False
    known: bool = False
    widths: Counter[int] = field(default_factory=Counter)
    lines: int = 0

    def is_like(self, other: Layout) -> bool:
        """Whether two files are written alike, so that they can be splits of one corpus."""
        same = all(self.keys.get(key, (None,))[0] == other.keys.get(key, (None,))[0] for key in ("header", "separator"))
        return self.format == other.format and same


def find_layout(path: Path) -> Layout | str:
    """The layout of a file or folder; as a string, why there is none.

    Raises:
        OSError: the file cannot be read.
    """
    if path.is_dir():
        from skill_plugin.guessing.typed_layout import arrow_layout

        return arrow_layout(path)
    try:
        with open_unpacked(path) as file:
            head = file.read1(_HEAD)
        if not head:
            return "the file is empty"
        return _of_binary(path, head) or _of_text(path, head)
    except UnreadableError as error:
        return error.message
    except unpacking_errors() as error:
        return f"not a whole {PACKED.get(path.suffix, 'packed')} file ({error})"


def _of_binary(path: Path, head: bytes) -> Layout | str | None:
    """The layout of a file that is no text; None if it is text."""
    from skill_plugin.guessing import typed_layout

    if head.startswith(b"PAR1"):
        return typed_layout.parquet_layout(path)
    if head.startswith(b"ARROW1") or (head.startswith(b"\xff\xff\xff\xff") and path.suffix in (".arrow", ".feather")):
        return typed_layout.arrow_layout(path)
    if head.startswith(b"PK\x03\x04"):
        with open_seekable(path) as file:
            return typed_layout.xlsx_layout(path) if b"xl/" in file.read() else "a zip archive; unpack it"
    return None


def _of_text(path: Path, head: bytes) -> Layout | str:
    from skill_plugin.guessing.conll_layout import conll_layout
    from skill_plugin.guessing.json_layout import json_layout
    from skill_plugin.guessing.lines_layout import lines_layout
    from skill_plugin.guessing.table_layout import table_layout

    encoding = find_encoding(head)
    lines = read_sample(path, encoding or "utf-8")  # which tells what other programs packed
    if encoding is None:
        return "no text in an encoding that can be told"
    if not any(line.strip() for line in lines):
        return "the file holds blank lines only"
    found = (
        json_layout(path, encoding, lines)
        or conll_layout(lines)
        or table_layout(path, lines)
        or lines_layout(path, encoding, lines)
    )
    if isinstance(found, Layout) and encoding != "utf-8":
        found.keys["encoding"] = (encoding, "its bytes are no UTF-8")
    return found


def read_sample(path: Path, encoding: str) -> list[str]:
    """The first lines of a text file."""
    from itertools import islice

    from skill_plugin.readers.text_lines import read_lines

    return [line.text for line in islice(read_lines(path, encoding, returns_are_space=True), SAMPLED_LINES)]
