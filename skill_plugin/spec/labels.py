"""Which labels can be used, wherever they stand: in the corpora file, in raw data, in a prepared folder."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from skill_plugin.kinds.kind import Kind

FILLER = re.compile(r"madeupword\d{4}")  # fairseq fills dictionaries with these up to a multiple of 8

_UNUSABLE = {"Cc": "the control character", "Cs": "half a character,"}  # by category of Unicode


def find_label_problem(label: str) -> str | None:
    """Why a label cannot be used, None if it can.

    >>> find_label_problem("not sure"), find_label_problem("a\\nb"), find_label_problem("a ")
    (None, 'holds the control character U+000A', 'has space around it')
    """
    if not label:
        return "is empty"
    if label != label.strip():
        return "has space around it"
    for character in label:
        if what := _UNUSABLE.get(unicodedata.category(character)):
            return f"holds {what} U+{ord(character):04X}"
    if label.startswith("\ufeff"):
        return "begins with a byte order mark"
    if FILLER.fullmatch(label):
        return "is one of the words with which fairseq fills dictionaries"
    return None


def find_positive_problem(kind: Kind, metric: str, positive_label: str | None, labels: Sequence[str]) -> str | None:
    """Why it is not known of which class an F1 is (of two labels it is that of the last), None if it is."""
    if metric != "f1" or "positive_label" not in kind.options or positive_label is not None or len(labels) <= 2:
        return None
    other = ", or the metric macro_f1" if "macro_f1" in kind.metrics else ""
    return f"has the metric f1 and {len(labels)} labels; expected a positive_label{other}"
