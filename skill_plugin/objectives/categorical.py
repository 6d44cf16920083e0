"""Units that have one class each: a text, a pair, a word, a masked piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.objectives.emphasis import Emphasis, weigh_outcomes
from skill_plugin.objectives.entropy import row_entropies, with_greatest
from skill_plugin.objectives.family import Confidences, Entropies, Family, UnitLosses
from skill_plugin.objectives.ragged_rows import ragged_means
from skill_plugin.objectives.symmetric_kl import row_divergences

IGNORED = -100  # in place of a class: there is nothing to learn


@dataclass(frozen=True)
class Categorical(Family):
    """Outputs are logits [U, C]; targets are ``classes`` [U] int64.

    Attributes:
        many_units: whether an example has any number of units. Its entropy is their mean, not their sum, or long texts
            would be chosen for their length; an example without any has 0.
        has_unknown: whether a class may be ``IGNORED``.
    """

    many_units: bool = False
    has_unknown: bool = False

    def losses(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> UnitLosses:
        """Cross-entropy of each unit; 0, with gradients of 0, where the class is ``IGNORED``."""
        if isinstance(outputs, TokenScores):
            return UnitLosses(outputs.losses, outputs.vocabulary)
        return UnitLosses(cross_entropies(outputs, target["classes"]), outputs.shape[1], self._known(target))

    def _known(self, target: Mapping[str, Tensor]) -> Tensor | None:
        return target["classes"] != IGNORED if self.has_unknown else None

    def learned_losses(
        self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor], emphasis: Emphasis
    ) -> UnitLosses:
        """Each unit's times the weight of its class; of what is smoothed, the weight of each class that it is spread
        over, as in torch's ``cross_entropy``."""
        assert isinstance(outputs, Tensor)
        values = F.cross_entropy(
            outputs.float(),
            target["classes"],
            emphasis.weights,
            reduction="none",
            ignore_index=IGNORED,
            label_smoothing=emphasis.smoothing,
        )
        return UnitLosses(values, outputs.shape[1], self._known(target))

    def weigh_labels(self, counts: NDArray[np.int64], units: int, factors: NDArray[np.float64] | None) -> Tensor:
        """[C]"""
        return torch.from_numpy(weigh_outcomes(counts, factors)).float()

    def confidences(self, outputs: Tensor, target: Mapping[str, Tensor]) -> Confidences:
        """Of the likeliest class of each unit whose class is known."""
        values, answers = self.probabilities(outputs).max(-1)
        known = target["classes"] != IGNORED
        return Confidences(values[known], (answers == target["classes"])[known])

    def divergences(self, clean: Tensor, noisy: Tensor, target: Mapping[str, Tensor]) -> Tensor:
        """sum_c (p_c - q_c) (log p_c - log q_c), p and q the softmax of the logits."""
        return row_divergences(clean, noisy)

    def entropies(self, outputs: Tensor, units: Sequence[int]) -> Entropies:
        """Entropy of the distribution over the C classes."""
        values = row_entropies(outputs)
        if self.many_units:
            values = ragged_means(values, torch.tensor(units, dtype=torch.int64, device=values.device))
        return with_greatest(values, outputs.shape[1])

    def probabilities(self, outputs: Tensor, units: Sequence[int] | None = None) -> Tensor:
        """Probability of each class: [U, C]."""
        return outputs.float().softmax(-1)


def cross_entropies(logits: Tensor, classes: Tensor) -> Tensor:
    """Cross-entropy of each unit: logits [U, C], any float type, classes [U] int64 or ``IGNORED`` -> [U] float32."""
    return F.cross_entropy(logits.float(), classes, reduction="none", ignore_index=IGNORED)
