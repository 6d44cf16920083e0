"""Windows of a text in which an answer begins and ends somewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.objectives.entropy import ragged_entropies
from skill_plugin.objectives.family import Entropies, Family, UnitLosses
from skill_plugin.objectives.ragged_rows import ragged_log_softmax, ragged_softmax
from skill_plugin.objectives.symmetric_kl import ragged_divergences


@dataclass(frozen=True)
class StartAndEnd(Family):
    """Outputs are logits of start and end [U, 2] of the positions of all windows, window by window.

    Targets are ``sizes``: positions of each window [S] int64, at least 1, which add up to U; ``starts`` and ``ends``:
    the right positions, counted within the window [S] int64; 0 is "no answer here". An example is a window.
    """

    def losses(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> UnitLosses:
        """The mean of the cross-entropies of start and end, over the positions of each window (Devlin et al., 2019),
        however many these are."""
        assert isinstance(outputs, Tensor)
        sizes = target["sizes"]
        log_probabilities = ragged_log_softmax(outputs, sizes)
        first = sizes.cumsum(0) - sizes
        starts, ends = first + target["starts"], first + target["ends"]
        return UnitLosses(-(log_probabilities[starts, 0] + log_probabilities[ends, 1]) / 2, None)

    def log_likelihood(self, outputs: Tensor | TokenScores, target: Mapping[str, Tensor]) -> Tensor:
        """log p of the start and of the end of each window."""
        return 2 * super().log_likelihood(outputs, target)

    def divergences(self, clean: Tensor, noisy: Tensor, target: Mapping[str, Tensor]) -> Tensor:
        """The mean of the divergences of start and of end, softmax over the window's positions."""
        return ragged_divergences(clean, noisy, target["sizes"]) / 2

    def entropies(self, outputs: Tensor, units: Sequence[int]) -> Entropies:
        """The mean of the entropies of start and of end, each over the C positions of the window."""
        return ragged_entropies(outputs, torch.tensor(units, dtype=torch.int64, device=outputs.device))

    def probabilities(self, outputs: Tensor, units: Sequence[int] | None = None) -> Tensor:
        """Probability of each position of a window, as the start and as the end: [U, 2]."""
        return ragged_softmax(outputs, units or [len(outputs)])
