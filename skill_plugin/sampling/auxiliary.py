"""Corpora that help the others: drawn with a fixed probability, whatever the sampler gives the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def with_auxiliary(shares: NDArray[np.float64], auxiliary: Sequence[bool], probability: float) -> NDArray[np.float64]:
    """Shares of which the auxiliary corpora have ``probability`` together (thesis, section 4.2: 1 in 100).

    Among the auxiliary corpora, and among the others, shares stay in the proportions that they had. Where one of
    the two sides has no share, as when all of its corpora have left the plan, the other keeps all.

    Args:
        shares: probability of each corpus [K]; 0 for one that is never drawn.
        auxiliary: which of them are [K].
        probability: above 0 and below 1.
    """
    chosen = np.asarray(auxiliary, dtype=bool)
    part, rest = float(shares[chosen].sum()), float(shares[~chosen].sum())
    if part == 0 or rest == 0:
        return shares
    return np.where(chosen, shares * (probability / part), shares * ((1 - probability) / rest))


def epoch_with_auxiliary(batches: Sequence[int], auxiliary: Sequence[bool], probability: float) -> int:
    """Draws of an epoch: the others get as many as they have batches, the auxiliary corpora ``probability`` of all.

    How much text auxiliary corpora have makes no epoch longer. Where one of the two sides has no batches, the epoch has
    those of the other.

    Args:
        batches: of each corpus [K]; 0 for one that is not drawn.
        auxiliary, probability: as for ``with_auxiliary``.
    """
    rest = sum(number for number, helps in zip(batches, auxiliary, strict=True) if not helps)
    if rest in (0, sum(batches)):
        return sum(batches)
    return round(rest / (1 - probability))
