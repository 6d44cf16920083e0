"""What ``--sampling`` may be, one entry each: how the sizes of corpora become what they are drawn with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rule:
    """One choice of ``--sampling``.

    Attributes:
        weigh: (shares of the corpora in all examples [K], each above 0; alpha) -> what they are drawn with, up to its
            sum [K]. None where nothing is drawn, since the model chooses (``sampling.uncertainty``).
        help: what ``fairseq-train --help`` says of it, where its name does not say all.
        has_alpha: whether alpha counts.
        moves_alpha: whether alpha may be another one in each epoch.
        by_size: whether the sizes of corpora count.
    """

    weigh: Callable[[Floats, float], Floats] | None
    help: str = ""
    has_alpha: bool = False
    moves_alpha: bool = False
    by_size: bool = True


RULES = {
    "proportional": Rule(lambda shares, _: shares),
    "temperature": Rule(np.power, has_alpha=True),
    "uniform": Rule(lambda shares, _: np.ones_like(shares), by_size=False),
    "annealed": Rule(np.power, "temperature with a moving alpha", has_alpha=True, moves_alpha=True),
    "uncertainty": Rule(
        None,
        "every corpus gives a batch of candidates, and the model is trained on those of them all that it is least sure "
        "of (CA-MTL)",
    ),
}
