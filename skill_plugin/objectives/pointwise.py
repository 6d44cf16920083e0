"""Queries with candidates, each of which is right or wrong, or has a grade, by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.objectives.categorical import cross_entropies
from skill_plugin.objectives.entropy import row_entropies, with_greatest
from skill_plugin.objectives.family import Entropies, Family, UnitLosses
from skill_plugin.objectives.ragged_rows import ragged_means
from skill_plugin.objectives.symmetric_kl import row_divergences


@dataclass(frozen=True)
class Pointwise(Family):
    """Outputs are logits [U, 2] of wrong and right, or [U, G] of G grades, of the candidates of all queries.

    Targets are ``relevance`` [U], at least 0, and ``sizes``: candidates of each query [Q] int64, at least 1; they add
    up to U. An example is a query.

    Attributes:
        graded: whether a relevance is a grade, from 0 to G - 1; else any above 0 is right.
    """

    graded: bool = False

    def losses(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> UnitLosses:
        """The mean over a query's candidates of the cross-entropy of their classes (MT-TaG, appendix A.3.1), or grades
        (WPR's five, thesis, section 3.2)."""
        assert isinstance(outputs, Tensor)
        classes = target["relevance"] if self.graded else (target["relevance"] > 0).long()
        return UnitLosses(ragged_means(cross_entropies(outputs, classes), target["sizes"]), outputs.shape[1])

    def log_likelihood(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> Tensor:
        """log p of the class, or grade, of each candidate."""
        return -(self.losses(outputs, target).values * target["sizes"]).sum()

    def divergences(self, clean: Tensor, noisy: Tensor, target: Mapping[str, Tensor]) -> Tensor:
        """The mean over a query's candidates of the divergence of their classes, or grades."""
        return ragged_means(row_divergences(clean, noisy), target["sizes"])

    def entropies(self, outputs: Tensor, units: Sequence[int]) -> Entropies:
        """The mean over a query's candidates of the entropy of their C classes, or grades."""
        sizes = torch.tensor(units, dtype=torch.int64, device=outputs.device)
        return with_greatest(ragged_means(row_entropies(outputs), sizes), outputs.shape[1])

    def probabilities(self, outputs: Tensor, units: Sequence[int] | None = None) -> Tensor:
        """Probability of each class, or grade, of each candidate: [U, C]."""
        return outputs.float().softmax(-1)
