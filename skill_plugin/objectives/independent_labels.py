"""Units that may have any number of labels, each by itself."""

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
from skill_plugin.objectives.entropy import binary_entropies, with_greatest
from skill_plugin.objectives.family import Confidences, Entropies, Family, UnitLosses
from skill_plugin.objectives.symmetric_kl import symmetric_kl_terms


@dataclass(frozen=True)
class IndependentLabels(Family):
    """Outputs are logits [U, C] of "given"; targets are ``labels`` [U, C] of 0 and 1. An example is one unit."""

    def losses(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> UnitLosses:
        """The mean over a unit's labels of their binary cross-entropy; each label is a choice between two."""
        assert isinstance(outputs, Tensor)
        losses = F.binary_cross_entropy_with_logits(outputs.float(), target["labels"].float(), reduction="none")
        return UnitLosses(losses.mean(1), 2)

    def learned_losses(
        self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor], emphasis: Emphasis
    ) -> UnitLosses:
        """The mean over labels, each times the weight of its being given, or not; smoothed, both are true in part."""
        assert isinstance(outputs, Tensor)
        given = target["labels"].float()
        truth = given * (1 - emphasis.smoothing) + emphasis.smoothing / 2
        absent, present = (1.0, 1.0) if emphasis.weights is None else emphasis.weights.unbind(1)
        logits = outputs.float()
        losses = -present * truth * F.logsigmoid(logits) - absent * (1 - truth) * F.logsigmoid(-logits)
        return UnitLosses(losses.mean(1), 2)

    def weigh_labels(self, counts: NDArray[np.int64], units: int, factors: NDArray[np.float64] | None) -> Tensor:
        """[C, 2], of a label that is not given and of one that is. A factor is that of given beside not given."""
        both = np.stack([units - counts, counts], 1)
        beside = None if factors is None else np.stack([np.ones_like(factors), factors], 1)
        return torch.from_numpy(weigh_outcomes(both, beside)).float()

    def confidences(self, outputs: Tensor, target: Mapping[str, Tensor]) -> Confidences:
        """Of "given", for each label of each unit [U C]; right where it is."""
        return Confidences(self.probabilities(outputs).flatten(), target["labels"].flatten() > 0)

    def log_likelihood(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> Tensor:
        """log p of each label, given or not."""
        return target["labels"].shape[1] * super().log_likelihood(outputs, target)

    def divergences(self, clean: Tensor, noisy: Tensor, target: Mapping[str, Tensor]) -> Tensor:
        """The mean over labels of the divergence of "given or not", p and q the sigmoids."""
        clean, noisy = clean.float(), noisy.float()
        given = symmetric_kl_terms(F.logsigmoid(clean), F.logsigmoid(noisy))
        not_given = symmetric_kl_terms(F.logsigmoid(-clean), F.logsigmoid(-noisy))
        return (given + not_given).mean(1)

    def entropies(self, outputs: Tensor, units: Sequence[int]) -> Entropies:
        """The mean over the labels of the entropy of "given or not"; C = 2."""
        return with_greatest(binary_entropies(self.probabilities(outputs)).mean(1), 2)

    def probabilities(self, outputs: Tensor, units: Sequence[int] | None = None) -> Tensor:
        """Probability of each label: [U, C]."""
        return outputs.float().sigmoid()
