"""Vectors of whole sequences, made of the hidden states of their tokens."""

from __future__ import annotations

import torch
from torch import Tensor

from skill_plugin.nn.packed_batch import PackedBatch


def pooled_states(hidden: Tensor, batch: PackedBatch) -> Tensor:
    """The mean of all tokens of each sequence, special tokens included, and behind it its first token [S, 2 D].

    Args:
        hidden: hidden states of the pack [N, D].
        batch: the pack, of S sequences.
    """
    lengths = torch.tensor(batch.lengths, device=hidden.device)
    owners = torch.arange(len(lengths), device=hidden.device).repeat_interleave(lengths)
    total = torch.zeros(len(lengths), hidden.shape[1], device=hidden.device).index_add_(0, owners, hidden.float())
    firsts = hidden[lengths.cumsum(0) - lengths].float()
    return torch.cat([total / lengths.unsqueeze(1), firsts], 1)
