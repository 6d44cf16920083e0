"""Relative position biases: what a head adds to its attention logits by the distance of two tokens."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class RelativePositions(nn.Module):
    """One table of biases a stack: the first distances have a bucket each, larger ones share one by their logarithm.

    Attributes:
        weight: bias of each bucket for each head [B, H].

    Args:
        buckets: B.
        distance: from which on all distances share the last bucket.
        heads: H.
        both_ways: whether a token reads those behind it too; half of the buckets are theirs. Otherwise they get -inf.
    """

    def __init__(self, buckets: int, distance: int, heads: int, both_ways: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(buckets, heads))
        self.distance, self.both_ways = distance, both_ways

    def forward(self, length: int) -> Tensor:
        """The biases of sequences of L tokens, query by key: [H, L, L]."""
        ahead = torch.arange(1 - length, length, device=self.weight.device)
        values: Tensor = self.weight.index_select(0, self.buckets_of(ahead))
        if not self.both_ways:
            values = values.masked_fill((ahead > 0)[:, None], -torch.inf)
        # the last query's row begins with the first distance, that of each query before it one further on; gradients of
        # L² places would be added up in a few buckets otherwise, on a GPU in any order
        return values.t().unfold(1, length, 1).flip(1)

    def buckets_of(self, ahead: Tensor) -> Tensor:
        """The bucket of each distance, int64: how far a key is ahead of the query, less than 0 for one behind it."""
        buckets = len(self.weight) // 2 if self.both_ways else len(self.weight)
        far = ahead.abs() if self.both_ways else -ahead.clamp(max=0)
        exact = buckets // 2
        share = torch.log(far.clamp(min=1).float() / exact) / math.log(self.distance / exact)
        shared = (exact + (share * (buckets - exact)).long()).clamp(max=buckets - 1)
        found = torch.where(far < exact, far, shared)
        return torch.where(ahead > 0, found + buckets, found) if self.both_ways else found
