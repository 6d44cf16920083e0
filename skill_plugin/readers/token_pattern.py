"""The key ``pattern``: takes the token out of a cell that holds more, such as ``word3`` for the token ``word``."""

from __future__ import annotations

import re

from skill_plugin.readers.row import shorten


def extract_token(cell: str, pattern: str) -> str | None:
    """The token: what the pattern's group matches if the pattern matches the whole cell; None if there is none.

    >>> extract_token("word3", r"(.+?)\\d"), extract_token("word", r"(.+?)\\d")
    ('word', None)
    """
    match = re.fullmatch(pattern, cell)
    return (match[1] or None) if match else None


def describe_mismatch(cell: str, pattern: str) -> str:
    """The message about a cell without a token."""
    return f"the token {shorten(cell)} does not match the pattern {pattern!r}"
