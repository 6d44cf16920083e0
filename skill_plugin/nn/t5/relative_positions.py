"""Relative position biases: what a head adds to its attention logits by the distance of two tokens."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
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
        self._buckets = torch.zeros(0, dtype=torch.int64)  # of the distances of the longest sequences so far

    def forward(self, length: int) -> Tensor:
        """The biases of sequences of L tokens, query by key: [H, L, L]."""
        values: Tensor = self.weight.index_select(0, self._buckets_within(length))
        if not self.both_ways:
            values = F.pad(values[:length], (0, 0, 0, length - 1), value=-torch.inf)
        # the last query's row begins with the first distance, that of each query before it one further on; gradients of
        # L² places would be added up in a few buckets otherwise, on a GPU in any order
        return values.t().unfold(1, length, 1).flip(1)

    def _buckets_within(self, length: int) -> Tensor:
        """The buckets of the distances 1 - L to L - 1, of which no update has to compute what another has."""
        found, device = self._buckets, self.weight.device
        if len(found) < 2 * length - 1 or found.device != device:
            with torch.inference_mode(False):  # training reads them too
                self._buckets = found = self.buckets_of(torch.arange(1 - length, length, device=device))
        beyond = (len(found) + 1) // 2 - length
        return found[beyond : len(found) - beyond]

    def buckets_of(self, ahead: Tensor) -> Tensor:
        """The bucket of each distance, int64: how far a key is ahead of the query, less than 0 for one behind it."""
        buckets = len(self.weight) // 2 if self.both_ways else len(self.weight)
        far = ahead.abs() if self.both_ways else -ahead.clamp(max=0)
        exact = buckets // 2
        share = torch.log(far.clamp(min=1).float() / exact) / math.log(self.distance / exact)
        shared = (exact + (share * (buckets - exact)).long()).clamp(max=buckets - 1)
        found = torch.where(far < exact, far, shared)
        return torch.where(ahead > 0, found + buckets, found) if self.both_ways else found
