"""Units that have a score each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.objectives.entropy import binary_entropies, with_greatest
from skill_plugin.objectives.family import Entropies, Family, UnitLosses


@dataclass(frozen=True)
class Score(Family):
    """Outputs are scores [U, 1]; targets are ``scores`` [U]. An example is one unit.

    Attributes:
        lowest, highest: between which numbers scores should lie.
    """

    lowest: float = -1.0
    highest: float = 1.0

    def losses(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> UnitLosses:
        """Squared error (MT-TaG, equation 10), which has no number of classes."""
        assert isinstance(outputs, Tensor)
        return UnitLosses((outputs.squeeze(1).float() - target["scores"].float()).square(), None)

    def divergences(self, clean: Tensor, noisy: Tensor, target: Mapping[str, Tensor]) -> Tensor:
        """2 (a - b)^2, since a squared error is the loss of a Gaussian with variance 1/2."""
        return 2 * (clean.float() - noisy.float()).square().squeeze(1)

    def entropies(self, outputs: Tensor, units: Sequence[int]) -> Entropies:
        """Entropy of "upper or lower"; C = 2. It is 0 at the ends of the range, and log 2 in its middle, where a fresh
        head begins. A Gaussian of fixed variance would be equally unsure of all."""
        return with_greatest(binary_entropies(self.probabilities(outputs)[:, 0]), 2)

    def probabilities(self, outputs: Tensor, units: Sequence[int] | None = None) -> Tensor:
        """The score as a share of its range, taken for the probability of the upper end: [U, 1]. A score outside of the
        range counts as the nearer end."""
        return ((outputs.float() - self.lowest) / ((self.highest - self.lowest) or 1.0)).clamp(0, 1)
