"""Which rows of a split are read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skill_plugin.data.corpus_examples import CorpusExamples


def count_chosen_rows(examples: CorpusExamples, limit: int) -> int:
    """How many rows ``choose_rows`` chooses."""
    return min(limit, len(examples)) if limit else len(examples)


def choose_rows(examples: CorpusExamples, limit: int = 0) -> NDArray[np.int64]:
    """Chooses n rows, spread evenly over a split, and puts similar lengths together [n].

    Args:
        examples: the examples of the split.
        limit: how many rows; 0 for all.
    """
    number = count_chosen_rows(examples, limit)
    rows = np.arange(number, dtype=np.int64) * len(examples) // max(number, 1)
    return rows[np.argsort(examples.lengths[rows], kind="stable")]
