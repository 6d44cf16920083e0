"""One answer a sequence, read from its first token, or from that and others side by side."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from skill_plugin.nn.dropout import Dropout
from skill_plugin.nn.heads.states_at import states_at
from skill_plugin.nn.linear import Linear


class ClassificationHead(nn.Module):
    """dense, tanh, output: the shape of transformers' heads for RoBERTa, and of BERT's pooler and classifier.

    Args:
        width: D.
        classes: C.
        dropout: before each of the two linear maps, while training.
        tokens: how many states it reads; 3 for a word in context: the first token's and both words' (MT-TaG, appendix
            A.3.1).
        output: makes the second map.
    """

    def __init__(
        self, width: int, classes: int, dropout: float, tokens: int = 1, output: type[nn.Linear] = Linear
    ) -> None:
        super().__init__()
        self.dense = Linear(tokens * width, width)
        self.out_proj = output(width, classes)
        self.dropout = Dropout(dropout)

    @property
    def reads_first_token(self) -> bool:
        """Whether ``dense`` maps a single state, as a pretrained encoder's pooler does."""
        return self.dense.in_features == self.dense.out_features

    def forward(self, hidden: Tensor, units: Tensor | None = None) -> Tensor:
        """Logits [U, C] from hidden states [N, D] at the flat positions ``units`` [U], or [U, tokens] for several.

        Without units from the states that it reads [U, tokens D].
        """
        x = torch.tanh(self.dense(self.dropout(states_at(hidden, units))))
        return self.out_proj(self.dropout(x))
