"""``pattern``: a token within a cell that holds more than it, as ``word3`` where the digit is not part of the word."""

from __future__ import annotations

import re

from skill_plugin.readers.row import shorten


def extract_token(cell: str, pattern: str) -> str | None:
    """What the pattern's group matches where the pattern matches the whole cell; None where it does not, or nothing.

    >>> extract_token("word3", r"(.+?)\\d"), extract_token("word", r"(.+?)\\d")
    ('word', None)
    """
    match = re.fullmatch(pattern, cell)
    return (match[1] or None) if match else None


def describe_mismatch(cell: str, pattern: str) -> str:
    """What is wrong with a cell without a token."""
    return f"the token {shorten(cell)} does not match the pattern {pattern!r}"
