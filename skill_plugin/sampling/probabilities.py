"""With which probability a batch comes from each corpus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SAMPLINGS = ("proportional", "temperature", "uniform", "uncertainty")


def probabilities(sizes: Sequence[int], sampling: str, alpha: float) -> NDArray[np.float64]:
    """q_i = p_i^alpha / sum_j p_j^alpha with p_i = |T_i| / sum_k |T_k| (SkillNet-X, equation 7).

    Args:
        sizes: training examples |T_i| of each corpus; one of size 0 is never drawn.
        sampling: ``temperature`` (the equation), ``proportional`` (alpha = 1) or ``uniform`` (alpha = 0).
            ``uncertainty`` has no probabilities: ``sampling.uncertainty`` chooses.
        alpha: for ``temperature`` only.

    Raises:
        ValueError: an unknown sampling, or no training examples at all.
    """
    if sampling not in SAMPLINGS:
        raise ValueError(f"unknown sampling {sampling!r}, expected one of: {', '.join(SAMPLINGS)}")
    exponent = {"proportional": 1.0, "uniform": 0.0, "temperature": alpha}[sampling]
    counts = np.asarray(sizes, dtype=np.float64)
    if not counts.sum() > 0:
        raise ValueError("no training examples")
    shares = counts / counts.sum()
    weights = np.where(counts > 0, np.power(shares, exponent, where=counts > 0, out=np.zeros_like(shares)), 0.0)
    return np.asarray(weights / weights.sum(), dtype=np.float64)
