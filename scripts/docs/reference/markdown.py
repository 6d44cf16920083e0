"""Tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_OPTION = re.compile(r"(?<![`\w])(--[a-z][a-z0-9-]*)")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; line ends and bars inside cells are what they are there."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def code(*values: object) -> str:
    """Each value as code, with commas between them."""
    return ", ".join(f"`{value}`" for value in values)


def with_options_as_code(text: str) -> str:
    """Text of a command line's help, whose options become code, and whose ``<`` begins no tag."""
    return _OPTION.sub(r"`\1`", text.replace("<", "&lt;"))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
