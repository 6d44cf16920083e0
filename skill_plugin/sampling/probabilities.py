"""With which probability a batch comes from each corpus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skill_plugin.sampling.rules import RULES


def probabilities(
    sizes: Sequence[int],
    sampling: str,
    alpha: float,
    cap: int | None = None,
    weights: Sequence[float] | None = None,
) -> NDArray[np.float64]:
    """q_i = w_i p_i^alpha / sum_j w_j p_j^alpha with p_i = |T_i| / sum_k |T_k| (SkillNet-X, equation 7, where w_i = 1).

    Args:
        sizes: training examples |T_i| of each corpus; one of size 0 is never drawn.
        sampling: ``temperature`` (the equation), ``annealed`` (the same with the alpha of an epoch), ``proportional``
            (alpha = 1), ``uniform`` (alpha = 0), or another of ``RULES`` that draws, with its own weights in place of
            p_i^alpha.
        alpha: the exponent, for those that have one.
        cap: |T_i| counts as at most so many (T5, section 3.5.2: examples-proportional mixing, K); None for no cap.
        weights: w_i; None = all 1. With ``uniform`` they are jiant's unnormalised probabilities.

    Raises:
        ValueError: an unknown sampling, or no training examples at all.
    """
    weighers = {name: rule.weigh for name, rule in RULES.items() if rule.weigh is not None}
    if sampling not in weighers:
        raise ValueError(f"unknown sampling {sampling!r}, expected one of: {', '.join(weighers)}")
    counts = np.asarray(sizes, dtype=np.float64)
    if not counts.sum() > 0:
        raise ValueError("no training examples")
    found = counts > 0
    counts = np.minimum(counts, np.inf if cap is None else cap)
    shares = counts / counts.sum()
    weighted = np.zeros_like(shares)
    weighted[found] = weighers[sampling](shares[found], alpha)
    if weights is not None:
        weighted *= np.asarray(weights, dtype=np.float64)
    return np.asarray(weighted / weighted.sum(), dtype=np.float64)
