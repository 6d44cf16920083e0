"""The encoder: embeddings, then layers; what a variant changes sits inside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from skill_plugin.nn.embeddings import Embeddings
from skill_plugin.nn.experts.routing import Routing
from skill_plugin.nn.layer_output import LayerOutput
from skill_plugin.nn.noise import Noise
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.recompute import recompute


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


class LayersInput(NamedTuple):
    """What the layers read beside the pack.

    Attributes:
        hidden: embeddings of the tokens, aligned where the encoder does that [N, D].
        magnification: as in ``EmbeddingOutput``.
        z: the task embeddings of the pack in the order of ``batch.active.embedding`` [K, D]; None for encoders that are
            not conditioned on any.
    """

    hidden: Tensor
    magnification: Tensor | None = None
    z: Tensor | None = None


class Encoder(nn.Module):
    """A Transformer encoder over packed batches.

    Args:
        embeddings: gives the embeddings of a batch.
        layers: the layers, from the bottom to the top.

    Attributes:
        recomputes: whether layers that train keep no activations, see ``recompute``.
    """

    # The children that ``below_layers`` runs; ``run_layers`` runs all others.
    BELOW_LAYERS: tuple[str, ...] = ("embeddings",)

    def __init__(self, embeddings: Embeddings, layers: Iterable[nn.Module]) -> None:
        super().__init__()
        self.embeddings = embeddings
        self.layers = nn.ModuleList(layers)
        self.recomputes = False

    def forward(self, batch: PackedBatch, noise: Noise | None = None) -> EncoderOutput:
        """Hidden states of a pack, with noise on its embeddings."""
        below = self.below_layers(batch, noise)
        hidden, routings = self.run_layers(below.hidden, batch, below.z)
        return EncoderOutput(hidden, routings, below.magnification)

    def below_layers(self, batch: PackedBatch, noise: Noise | None = None) -> LayersInput:
        """What the lowest layer reads."""
        return LayersInput(*self.embeddings(batch, noise))

    def run_layer(self, layer: nn.Module, x: Tensor, batch: PackedBatch) -> LayerOutput:
        """What a layer makes of the hidden states of the one below it."""
        recomputed = self.recomputes and self.training and torch.is_grad_enabled()
        return recompute(layer, x, batch) if recomputed else cast(LayerOutput, layer(x, batch))

    def run_layers(self, x: Tensor, batch: PackedBatch, z: Tensor | None = None) -> tuple[Tensor, tuple[Routing, ...]]:
        """Hidden states of the last layer [N, D], and the routings, from what ``below_layers`` gives."""
        routings = []
        for layer in self.layers:
            x, routing = self.run_layer(layer, x, batch)
            if routing is not None:
                routings.append(routing)
        return x, tuple(routings)
