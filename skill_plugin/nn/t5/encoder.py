"""T5's encoder: normalisation before each part of a layer, and relative positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from torch import Tensor, nn

from skill_plugin.nn.dropout import Dropout
from skill_plugin.nn.embeddings import EmbeddingOutput
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.experts.routing import Routing
from skill_plugin.nn.layer_output import LayerOutput
from skill_plugin.nn.noise import Noise
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.t5.gated_feed_forward import GatedFeedForward
from skill_plugin.nn.t5.position_bias import PositionBias
from skill_plugin.nn.t5.relative_positions import RelativePositions
from skill_plugin.nn.t5.rms_norm import RmsNorm
from skill_plugin.nn.t5.self_attention import T5SelfAttention


@dataclass(frozen=True, kw_only=True)
class PositionedBatch(PackedBatch):
    """A pack, and what its layers add to attention's logits."""

    bias: PositionBias


class T5Embeddings(nn.Module):
    """The table of the tokens, which the decoder reads too, and that of the encoder's relative positions.

    Args:
        vocabulary: V.
        width: D.
        positions: the relative positions.
        dropout: while training.
    """

    def __init__(self, vocabulary: int, width: int, positions: RelativePositions, dropout: float) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = positions
        self.dropout = Dropout(dropout)

    def forward(self, batch: PackedBatch, noise: Noise | None = None) -> EmbeddingOutput:
        """The embeddings of a pack's tokens, with noise."""
        x, magnification = self.tokens(batch.tokens), None
        if noise is not None:
            x, magnification = noise.add_to(x)
        return EmbeddingOutput(self.dropout(x), magnification)


class T5EncoderLayer(nn.Module):
    """x + attention(norm(x)), then x + feed_forward(norm(x)).

    Args:
        attention: self-attention.
        feed_forward: the feed-forward network.
        norms: norms of both.
        dropout: on the output of both, while training.
    """

    def __init__(
        self,
        attention: T5SelfAttention,
        feed_forward: GatedFeedForward,
        norms: tuple[RmsNorm, RmsNorm],
        dropout: float,
    ) -> None:
        super().__init__()
        self.attention, self.feed_forward = attention, feed_forward
        self.attention_norm, self.feed_forward_norm = norms
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, batch: PositionedBatch) -> LayerOutput:
        """Hidden states [N, D] of this layer, from those of the layer below [N, D]."""
        x = x + self.dropout(self.attention(self.attention_norm(x), batch.layout, batch.bias))
        return LayerOutput(x + self.dropout(self.feed_forward(self.feed_forward_norm(x))))


class T5Encoder(Encoder):
    """Hidden states of a pack, normalised after the last layer.

    Args:
        embeddings: gives the embeddings of a batch.
        layers: the layers, from the bottom to the top.
        norm: after the last layer.
        dropout: after that, while training.
    """

    embeddings: T5Embeddings  # type: ignore[assignment]

    def __init__(
        self, embeddings: T5Embeddings, layers: Iterable[T5EncoderLayer], norm: RmsNorm, dropout: float
    ) -> None:
        super().__init__(embeddings, layers)  # type: ignore[arg-type]  # called as Embeddings are
        self.norm, self.dropout = norm, Dropout(dropout)

    def run_layers(self, x: Tensor, batch: PackedBatch, z: Tensor | None = None) -> tuple[Tensor, tuple[Routing, ...]]:
        """As of every encoder; without routings."""
        attention = cast(T5EncoderLayer, self.layers[0]).attention
        bias = PositionBias(self.embeddings.positions, x, batch.layout, attention.probability)
        positioned = PositionedBatch(**batch.as_keywords(), bias=bias).with_places(batch.layout, batch.active)
        x, routings = super().run_layers(x, positioned, z)
        return self.dropout(self.norm(x)), routings
