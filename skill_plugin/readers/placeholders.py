"""Placeholders for missing answers: published test sets without answers have ``-1`` or ``_`` in their place."""

from __future__ import annotations

from typing import Any

from skill_plugin.readers.cell_values import parse_finite_number, read_scalar
from skill_plugin.spec.corpus import Corpus

USUAL_PLACEHOLDERS = ("-1", "_")  # in a test split taken for a placeholder if it cannot be an answer


def is_named_placeholder(corpus: Corpus, value: Any) -> bool:
    """Whether ``placeholders`` of the corpora file names the value; -1 names -1.0 too."""
    return any(_same(value, mark) for mark in corpus.placeholders)


def usual_placeholder(corpus: Corpus, value: Any) -> str | None:
    """The usual placeholder that a value is; None if it is none, or the corpora file uses it otherwise."""
    mark = next((mark for mark in USUAL_PLACEHOLDERS if _same(value, mark)), None)
    return None if mark is None or mark in corpus.label_map or mark in corpus.drop_labels else mark


def _same(value: Any, mark: str) -> bool:
    if isinstance(value, float):
        return value == parse_finite_number(mark)
    text = read_scalar(value)[0].strip()
    number = parse_finite_number(text)
    return text == mark or (number is not None and number == parse_finite_number(mark))
