"""The sum of token, position and token-type embeddings, normalised."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

from skill_plugin.nn.dropout import Dropout
from skill_plugin.nn.noise import Noise
from skill_plugin.nn.packed_batch import PackedBatch


class EmbeddingOutput(NamedTuple):
    """What the layers read.

    Attributes:
        hidden: embeddings of the tokens [N, D].
        magnification: s >= 1, the factor that noise was multiplied by before it was added, a scalar; None where there
            was no noise.
    """

    hidden: Tensor
    magnification: Tensor | None = None


class Embeddings(nn.Module):
    """Input embeddings of BERT, RoBERTa and XLM-R.

    Args:
        vocabulary: number of pieces V.
        positions: length P of the longest sequence; positions are learned.
        token_types: number of token types, 0 for encoders without them.
        width: D.
        eps: epsilon of the layer normalisation, as the pretrained encoder has it.
        dropout: after the normalisation, while training.
    """

    def __init__(
        self, vocabulary: int, positions: int, token_types: int, width: int, eps: float, dropout: float
    ) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.token_types = nn.Embedding(token_types, width) if token_types else None
        self.norm = nn.LayerNorm(width, eps=eps)
        self.dropout = Dropout(dropout)

    def forward(self, batch: PackedBatch, noise: Noise | None = None) -> EmbeddingOutput:
        """The embeddings of a pack's tokens, with noise on the sum, before it is normalised."""
        x = self.tokens(batch.tokens) + self.positions(batch.positions)
        if self.token_types is not None:
            # encoders such as XLM-R's have one type only: its row applies to every token
            x = x + (self.token_types.weight[0] if batch.token_types is None else self.token_types(batch.token_types))
        magnification = None
        if noise is not None:
            x, magnification = noise.add_to(x)
        return EmbeddingOutput(self.dropout(self.norm(x)), magnification)
