"""One answer about two words, read from the sequence's first token and from both words."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from skill_plugin.nn.dropout import Dropout


class WordInContextHead(nn.Module):
    """dense, tanh, output over the first token's and both words' states side by side (MT-TaG, appendix A.3.1).

    Args:
        width: D.
        classes: C.
        dropout: before each of the two linear maps, while training.
    """

    def __init__(self, width: int, classes: int, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(3 * width, width)
        self.out_proj = nn.Linear(width, classes)
        self.dropout = Dropout(dropout)

    def forward(self, hidden: Tensor, units: Tensor) -> Tensor:
        """Logits [U, C] from hidden states [N, D].

        Args:
            hidden: [N, D].
            units: for each sequence its first token and the first sub-word of either word [U, 3].
        """
        x = torch.tanh(self.dense(self.dropout(hidden[units].flatten(1))))
        return self.out_proj(self.dropout(x))  # type: ignore[no-any-return]
