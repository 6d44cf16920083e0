"""Conditional alignment: one alignment matrix for all corpora, between the embeddings and the first layer."""

from __future__ import annotations

from torch import nn

from skill_plugin.nn.conditional.linear import ConditionalLinear


class ConditionalAlignment(ConditionalLinear):
    """E(x) R^(z) (section 3.3.1, equation 3.2); R starts as the identity, so that pretraining survives.

    Args:
        width: D.
    """

    def __init__(self, width: int) -> None:
        super().__init__(width, width, width, std=0.0)
        nn.init.eye_(self.weight)
