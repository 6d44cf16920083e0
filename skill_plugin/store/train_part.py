"""The part of a training split that is trained on, where that is not all of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skill_plugin.errors import InputError
from skill_plugin.sampling.even_order import even_order
from skill_plugin.spec.corpus import Corpus
from skill_plugin.spec.sizes import TrainRows
from skill_plugin.store.stored_split import StoredSplit


def count_part(corpus: Corpus, part: TrainRows, rows: int) -> int:
    """How many of a corpus's rows its part is.

    Raises:
        InputError: there are fewer.
    """
    try:
        return part.count(rows)
    except ValueError as error:
        if part.line is None:
            raise InputError(f"--train-rows {corpus.name}={part}: {error}") from None
        raise InputError(f"corpus {corpus.name!r}: train_rows: {error}", corpus.file, part.line) from None


def take_part(split: StoredSplit, rows: int, seed: int) -> StoredSplit:
    """Some of the rows, in their order in the split.

    Rows with the same set of labels (of a text its label or labels, of a sentence the tags that occur) have the share
    that they have in the split. A smaller part with the same seed is of a larger one.

    Args:
        split: the whole split.
        rows: how many rows are kept, at most all.
        seed: decides which.
    """
    return split.take(np.sort(even_order(_label_sets(split), seed)[:rows]))


def _label_sets(split: StoredSplit) -> NDArray[np.int64]:
    """A number for each row, equal for rows with equal sets of labels [n]; 0 for all where there are no labels."""
    if split.labels is None:
        return np.zeros(len(split), np.int64)
    file = split.labels.file
    if (file.sizes == 2).all():  # one, and the end symbol
        return file.values()[::2]
    numbers: dict[bytes, int] = {}
    sets = (np.unique(split.labels[row]).tobytes() for row in range(len(split)))
    return np.array([numbers.setdefault(one, len(numbers)) for one in sets], np.int64)
