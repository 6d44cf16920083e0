"""What training makes more or less of: weights of labels, and truths that are smoothed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True)
class Emphasis:
    """How the labels of a corpus count in what is learned.

    The loss of a unit is multiplied by the weight of its label, and a segment's loss stays the sum over its units by
    their number, not by their weights: it is a sum over units, however these are divided among segments, micro-batches
    and ranks, and a batch of one label alone is weighted too. Since weights are 1 in the mean over what is trained on,
    a corpus counts as much in an update as without them.

    Attributes:
        weights: of the family's outcomes (``Family.weigh_labels``); None where all count the same.
        smoothing: the share of the truth that is spread evenly over all outcomes (Szegedy et al., 2016, section 7).
    """

    weights: Tensor | None = None
    smoothing: float = 0.0


def weigh_outcomes(counts: NDArray[np.int64], factors: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Weights of the K outcomes of choices, whose mean over all that occurred is 1.

    Args:
        counts: how often each outcome of each choice occurred [..., K].
        factors: how much outcomes count, beside one another [..., K]. None: all that occur count the same together,
            N / (K n_k) of n_k among N, as scikit-learn's ``balanced`` (King and Zeng, 2001); one that does not, 1.

    Raises:
        ValueError: nothing that occurred counts anything.
    """
    total = counts.sum(-1, keepdims=True)
    if factors is None:
        occurring = (counts > 0).sum(-1, keepdims=True)
        return np.where(counts > 0, total / (occurring * np.maximum(counts, 1)), 1.0)
    weighed = (factors * counts).sum(-1, keepdims=True)
    if not (weighed > 0).all():
        raise ValueError("no label that occurs in what is trained on has a weight above 0")
    scaled: NDArray[np.float64] = factors * total / weighed
    return scaled
