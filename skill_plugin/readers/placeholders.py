"""What stands where an answer would be: published test sets whose answers are kept back have ``-1`` or ``_`` there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skill_plugin.readers.cell_values import finite_number, scalar
from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus

WELL_KNOWN = ("-1", "_")  # taken for one in a test split, where it cannot be an answer


def is_named(corpus: Corpus, value: Any) -> bool:
    """Whether ``placeholders`` of the corpora file names the value; -1 names -1.0 too."""
    return any(_same(value, mark) for mark in corpus.placeholders)


def is_well_known(corpus: Corpus, labels: Sequence[str] | None, value: Any) -> bool:
    """Whether a value of a test split is a placeholder though the corpora file does not say so.

    Args:
        corpus: of the split.
        labels: that may occur, or None where they are unknown.
        value: as it stands in the file.
    """
    mark = next((mark for mark in WELL_KNOWN if _same(value, mark)), None)
    if mark is None or mark in corpus.label_map or mark in corpus.drop_labels:
        return False
    if corpus.kind == "ranking":  # a place or a relevance, a whole number from 0
        return True
    if corpus.kind == "regression":
        score = finite_number(mark)
        return score is None or (corpus.score_range is not None and score < corpus.score_range[0])
    return labels is not None and mark not in labels


def nothing_else(corpus: Corpus, examples: Sequence[Example]) -> bool:
    """Whether every answer of a test split is one placeholder: scores of -1, where they may be any number."""
    scores = {example.answer for example in examples} - {None}
    return corpus.kind == "regression" and corpus.score_range is None and scores == {-1}


def _same(value: Any, mark: str) -> bool:
    if isinstance(value, float):
        return value == finite_number(mark)
    text = scalar(value)[0].strip()
    number = finite_number(text)
    return text == mark or (number is not None and number == finite_number(mark))
