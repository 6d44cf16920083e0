"""What is added to attention logits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor


class AttentionBias(Protocol):
    """What is added to the attention logits of a pack."""

    def padded(self, members: Tensor | None, columns: int, padding: Tensor | None, dtype: torch.dtype) -> Tensor:
        """The bias of some sequences, padded to L tokens each, and what is added for padding: [s or 1, 1 or H, L, L].

        Args:
            members: numbers of the s sequences [s]; None for all of them.
            columns: L.
            padding: 0 for a token, -inf for padding [s, 1, 1, L]; None where there is none.
            dtype: of the logits.
        """
        ...


@dataclass(frozen=True)
class LogitBias:
    """An ``AttentionBias`` that is the same for all heads.

    Attributes:
        values: K matrices [K, m, m] over the first m positions of a sequence, query by key; 0 further on.
        rows: which of them each sequence has [S], int64; None where K = 1.
    """

    values: Tensor
    rows: Tensor | None = None

    def padded(self, members: Tensor | None, columns: int, padding: Tensor | None, dtype: torch.dtype) -> Tensor:
        """[s or 1, 1, L, L]"""
        values = self.values[:, :columns, :columns].to(dtype)
        if self.rows is not None:
            values = values.index_select(0, self.rows if members is None else self.rows.index_select(0, members))
        if beyond := columns - values.shape[-1]:
            values = F.pad(values, (0, beyond, 0, beyond))
        values = values.unsqueeze(1)
        return values if padding is None else values + padding
