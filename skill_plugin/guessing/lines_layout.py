"""Plain lines: a text, or one column of parallel files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.layout import SAMPLED_LINES, Layout
from skill_plugin.readers.text_lines import read_lines

TEXT = "text"  # what the only column is called


def lines_layout(path: Path, encoding: str, lines: Sequence[str]) -> Layout:
    """The layout of a file of which every line is a value."""
    count = len(lines)
    if count == SAMPLED_LINES:
        count = sum(1 for _ in read_lines(path, encoding))
    return Layout("lines", "a text in each line", [Column(TEXT, [*lines])], lines=count)
