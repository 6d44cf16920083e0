"""Which piece stood where now a mask stands."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from skill_plugin.nn.heads.states_at import states_at
from skill_plugin.nn.heads.token_scores import TokenScores, score_tokens
from skill_plugin.nn.linear import Linear, linear


class MaskedLmHead(nn.Module):
    """dense, gelu, norm, then the scores of all pieces by the encoder's own embedding table (BERT, RoBERTa, XLM-R).

    The table is the encoder's and is handed over in each call, so that it is one parameter in one place, whatever is
    copied, moved, saved or loaded.

    Args:
        width: D.
        vocabulary: number of pieces V.
        eps: epsilon of the layer normalisation, as the pretrained encoder has it.
    """

    def __init__(self, width: int, vocabulary: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.dense = Linear(width, width)
        self.norm = nn.LayerNorm(width, eps=eps)
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(
        self, hidden: Tensor, units: Tensor | None, embedding: Tensor, classes: Tensor | None = None
    ) -> Tensor | TokenScores:
        """Logits [U, V] from hidden states [N, D] at the masked positions ``units`` [U], with the table [V, D].

        Without units from the states at the masked positions [U, D].

        Where the right pieces are given [U], only how they are scored, in bounded memory.
        """
        x = self.norm(F.gelu(self.dense(states_at(hidden, units))))
        if classes is not None:
            return score_tokens(x, embedding, self.bias, classes)
        return linear(x, embedding, self.bias)
