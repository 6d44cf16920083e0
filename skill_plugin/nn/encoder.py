"""The encoder: embeddings, then layers; what a variant changes sits inside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from torch import Tensor, nn

from skill_plugin.nn.embeddings import EmbeddingOutput, Embeddings
from skill_plugin.nn.encoder_layer import EncoderLayer
from skill_plugin.nn.experts.routing import Routing
from skill_plugin.nn.noise import Noise
from skill_plugin.nn.packed_batch import PackedBatch


class EncoderOutput(NamedTuple):
    """Hidden states, and what the modules below them tell of themselves.

    Attributes:
        hidden: hidden states of the last layer [N, D].
        routings: how the layers that have experts routed the tokens, from the bottom up.
        magnification: as in ``EmbeddingOutput``.
    """

    hidden: Tensor
    routings: tuple[Routing, ...] = ()
    magnification: Tensor | None = None


class Encoder(nn.Module):
    """A Transformer encoder over packed batches.

    Args:
        embeddings: gives the embeddings of a batch.
        layers: the layers, from the bottom to the top.
    """

    def __init__(self, embeddings: Embeddings, layers: Iterable[EncoderLayer]) -> None:
        super().__init__()
        self.embeddings = embeddings
        self.layers = nn.ModuleList(layers)

    def forward(self, batch: PackedBatch, noise: Noise | None = None) -> EncoderOutput:
        """Hidden states of a pack, with noise on its embeddings."""
        x, magnification = self.first_layer_input(batch, noise)
        routings = []
        for layer in self.layers:
            x, routing = layer(x, batch)
            if routing is not None:
                routings.append(routing)
        return EncoderOutput(x, tuple(routings), magnification)

    def first_layer_input(self, batch: PackedBatch, noise: Noise | None = None) -> EmbeddingOutput:
        """What the lowest layer reads."""
        return self.embeddings(batch, noise)  # type: ignore[no-any-return]
