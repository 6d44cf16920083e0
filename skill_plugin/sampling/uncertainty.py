"""Which of the candidates of all corpora a model is least sure of (CA-MTL, section 3.3.2 and algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skill_plugin.sampling.passes import Indices, cut_batches

Floats = NDArray[np.float64]


def uncertainties(entropies: Sequence[Floats], greatest: Sequence[Floats]) -> list[Floats]:
    """U = H / (H^ H') of every candidate (equations 3.4 and 3.5), with H^ the highest of the corpora's mean entropies.

    Args:
        entropies: H of the candidates of each corpus [n_t], at least one.
        greatest: H' of each corpus, the entropy that its candidates would have under a uniform distribution [n_t];
            one with a single class has 0, and an uncertainty of 0.

    Returns:
        For each corpus U of its candidates [n_t]; all 0 where no entropy is above 0.
    """
    highest = max(float(values.mean()) for values in entropies)
    found = []
    for values, most in zip(entropies, greatest, strict=True):
        scale = most * highest
        found.append(np.divide(values, scale, out=np.zeros_like(values), where=scale > 0))
    return found


def choose_most_uncertain(
    uncertainty: Floats, lengths: Indices, batch_size: int, max_tokens: int | None, sequences: Indices
) -> Indices:
    """The candidates to train on: the b most uncertain, as far as they keep to the bounds of a batch.

    Args:
        uncertainty: U of the candidates of all corpora [n]; of equals the earlier is taken.
        lengths: tokens of each [n].
        batch_size: b, in sequences; the sequences of an example stay together.
        max_tokens: in the batch; None for no bound.
        sequences: number of sequences of each [n].

    Returns:
        Their indices, increasing, at least one.
    """
    order = np.argsort(-uncertainty, kind="stable").astype(np.int64)
    return np.sort(cut_batches(order, lengths, batch_size, max_tokens, sequences)[0])
