"""Units that may have any number of labels, each by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.objectives.entropy import binary_entropies, with_greatest
from skill_plugin.objectives.family import Entropies, Family, UnitLosses
from skill_plugin.objectives.symmetric_kl import symmetric_kl_terms


@dataclass(frozen=True)
class IndependentLabels(Family):
    """Outputs are logits [U, C] of "given"; targets are ``labels`` [U, C] of 0 and 1. An example is one unit."""

    def losses(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> UnitLosses:
        """The mean over a unit's labels of their binary cross-entropy; each label is a choice between two."""
        assert isinstance(outputs, Tensor)
        losses = F.binary_cross_entropy_with_logits(outputs.float(), target["labels"].float(), reduction="none")
        return UnitLosses(losses.mean(1), 2)

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
