"""Queries with candidates, among which relevance is divided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.objectives.entropy import ragged_entropies
from skill_plugin.objectives.family import Entropies, Family, UnitLosses
from skill_plugin.objectives.ragged_rows import owners, ragged_log_softmax, ragged_softmax, ragged_sums
from skill_plugin.objectives.symmetric_kl import ragged_divergences


@dataclass(frozen=True)
class Listwise(Family):
    """Outputs are scores [U, 1] of the candidates of all queries; targets are those of ``Pointwise``.

    A query without a relevant candidate says nothing about their order: it has no loss and no divergence.
    """

    def losses(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> UnitLosses:
        """Cross-entropy of the softmax over a query's C candidates with their shares of its relevance (ListNet)."""
        assert isinstance(outputs, Tensor)
        sizes, relevance = target["sizes"], target["relevance"].float()
        total = ragged_sums(relevance, sizes)
        kept = total > 0
        shares = relevance / total.where(kept, 1.0)[owners(sizes, len(outputs))]
        losses = ragged_sums(-shares * ragged_log_softmax(outputs, sizes).squeeze(1), sizes)
        return UnitLosses(losses[kept], sizes[kept])

    def divergences(self, clean: Tensor, noisy: Tensor, target: Mapping[str, Tensor]) -> Tensor:
        """Divergence of the softmax over a query's candidates."""
        sizes = target["sizes"]
        kept = ragged_sums(target["relevance"].float(), sizes) > 0
        return ragged_divergences(clean, noisy, sizes)[kept]

    def entropies(self, outputs: Tensor, units: Sequence[int]) -> Entropies:
        """Entropy of the softmax over a query's C candidates."""
        return ragged_entropies(outputs, torch.tensor(units, dtype=torch.int64, device=outputs.device))

    def probabilities(self, outputs: Tensor, units: Sequence[int] | None = None) -> Tensor:
        """Probability of each candidate among those of its query: [U, 1]."""
        return ragged_softmax(outputs, units or [len(outputs)])
