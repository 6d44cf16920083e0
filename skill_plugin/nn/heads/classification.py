"""One answer a sequence, read from its first token."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from skill_plugin.nn.dropout import Dropout


class ClassificationHead(nn.Module):
    """dense, tanh, output: the shape of transformers' heads for RoBERTa, and of BERT's pooler and classifier.

    Args:
        width: D.
        classes: C.
        dropout: before each of the two linear maps, while training.
    """

    def __init__(self, width: int, classes: int, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.out_proj = nn.Linear(width, classes)
        self.dropout = Dropout(dropout)

    def forward(self, hidden: Tensor, units: Tensor) -> Tensor:
        """Logits [U, C] from hidden states [N, D] at the flat positions ``units`` [U]."""
        x = torch.tanh(self.dense(self.dropout(hidden[units])))
        return self.out_proj(self.dropout(x))  # type: ignore[no-any-return]
