"""Plain lines: a text, or one column of parallel files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.layout import SAMPLED_LINES, Layout
from skill_plugin.readers.text_lines import read_lines

TEXT = "text"  # what the only column is called
_MARKED = "__label__"  # begins the labels of fastText


def lines_layout(path: Path, encoding: str, lines: Sequence[str]) -> Layout:
    """The layout of a file of which every line is a value."""
    count = len(lines)
    if count == SAMPLED_LINES:
        count = sum(1 for _ in read_lines(path, encoding))
    filled = [line for line in lines if line.strip()]
    if all(line.startswith(_MARKED) and " " in line for line in filled):
        cells = [line.split(" ", 1) for line in filled]
        keys = {
            "separator": (" ", f"a label that begins with {_MARKED}, then the text"),
            "max_cells": (2, "the text has spaces too"),
            "header": (False, "the first row has a label too"),
        }
        columns = [Column(place, [row[place] for row in cells]) for place in (0, 1)]
        return Layout("tsv", "fastText's form", columns, keys)
    return Layout("lines", "a text in each line", [Column(TEXT, [*lines])], lines=count)
