"""Corpora that help the others: drawn with a fixed probability, whatever the sampler gives the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skill_plugin.errors import InputError


def with_auxiliary(
    shares: NDArray[np.float64], auxiliary: Sequence[bool], probability: float, option: str
) -> NDArray[np.float64]:
    """Shares of which the auxiliary corpora have ``probability`` together (Semin 2023, section 3.4: 1 in 100).

    Among the auxiliary corpora, and among the others, shares stay in the proportions that they had.

    Args:
        shares: probability of each corpus [K]; 0 for one that is never drawn.
        auxiliary: which of them are [K].
        probability: above 0 and below 1.
        option: what gives it, for messages.

    Raises:
        InputError: another probability, or nothing on one of the two sides.
    """
    if not 0 < probability < 1:
        raise InputError(f"{option} {probability}: expected a share between 0 and 1, as 0.01")
    chosen = np.asarray(auxiliary, dtype=bool)
    part = float(shares[chosen].sum())
    if part == 0:
        raise InputError(f"{option} {probability}: no masked_lm corpus has training data")
    rest = float(shares[~chosen].sum())
    if rest == 0:
        raise InputError(f"{option} {probability}: no corpus but masked_lm ones has training data; leave it out")
    return np.where(chosen, shares * (probability / part), shares * ((1 - probability) / rest))
