"""How a run draws corpora, from its first update to its last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skill_plugin.sampling.annealing import annealed_alpha
from skill_plugin.sampling.auxiliary import epoch_with_auxiliary, with_auxiliary
from skill_plugin.sampling.probabilities import probabilities
from skill_plugin.sampling.rules import RULES


@dataclass(frozen=True)
class Sampler:
    """From the sizes of corpora to their probabilities in an epoch.

    Attributes:
        sampling: one of ``RULES``, see ``probabilities``.
        alphas: the exponent in the first epoch and in the last.
        max_update: updates of the run; needed where the two alphas differ.
        cap: the most examples that the size of a corpus counts as; None for no cap.
        weights: factor of each corpus; None = all 1.
        auxiliary: which corpora are auxiliary; None = none.
        auxiliary_share: the probability that auxiliary corpora have together, see ``with_auxiliary``.
    """

    sampling: str
    alphas: tuple[float, float] = (1.0, 1.0)
    max_update: int = 0
    cap: int | None = None
    weights: tuple[float, ...] | None = None
    auxiliary: tuple[bool, ...] | None = None
    auxiliary_share: float = 0.0

    def alpha(self, done: int, updates: int) -> float | None:
        """The exponent in an epoch that begins after ``done`` updates and has so many; None where it is fixed."""
        if not RULES[self.sampling].has_alpha:
            return None
        return annealed_alpha(*self.alphas, done, updates, self.max_update)

    def epoch(self, batches: Sequence[int]) -> int:
        """Draws of an epoch, from the batches of each corpus, 0 for one that is not drawn in the epoch."""
        if self.auxiliary is None:
            return sum(batches)
        return epoch_with_auxiliary(batches, self.auxiliary, self.auxiliary_share)

    def probabilities(self, sizes: Sequence[int], done: int, updates: int) -> NDArray[np.float64]:
        """q_i [corpora] in that epoch.

        Args:
            sizes: training examples of each corpus, 0 for one that is not drawn in the epoch.
            done: updates before the epoch.
            updates: updates of the epoch.

        Raises:
            ValueError: see ``probabilities``.
        """
        alpha = self.alpha(done, updates)
        drawn = probabilities(sizes, self.sampling, 1.0 if alpha is None else alpha, self.cap, self.weights)
        return drawn if self.auxiliary is None else with_auxiliary(drawn, self.auxiliary, self.auxiliary_share)
