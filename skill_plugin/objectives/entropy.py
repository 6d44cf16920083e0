"""Entropies of distributions, natural logarithm: of rows, of a yes or no, of runs of rows."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.special import entr

from skill_plugin.objectives.family import Entropies
from skill_plugin.objectives.ragged_rows import ragged_log_softmax, ragged_sums

_ELEMENTS = 1 << 24  # of logits at a time, since a vocabulary's are many


def with_greatest(values: Tensor, classes: int) -> Entropies:
    """Entropies [E], each of a choice between C classes, with the greatest value that they can have: log C."""
    return Entropies(values, torch.full_like(values, classes).log())


def row_entropies(logits: Tensor) -> Tensor:
    """Entropy of the softmax of each row: [U, C] -> [U]."""
    rows = max(1, _ELEMENTS // max(1, logits.shape[1]))
    return torch.cat([entr(part.float().softmax(-1)).sum(-1) for part in logits.split(rows)])


def binary_entropies(probabilities: Tensor) -> Tensor:
    """Entropies of a yes or no with these probabilities of yes, any shape."""
    return entr(probabilities) + entr(1 - probabilities)  # type: ignore[no-any-return]


def ragged_entropies(scores: Tensor, sizes: Tensor) -> Entropies:
    """Entropy of the softmax over each run of rows, the mean over columns: [U, K], sizes [R] int64 -> R entropies."""
    return Entropies(ragged_sums(entr(ragged_log_softmax(scores, sizes).exp()), sizes).mean(1), sizes.float().log())
