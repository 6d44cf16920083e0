"""The encoder: embeddings, then layers; what a variant changes sits inside them."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor, nn

from skill_plugin.nn.encoder_layer import EncoderLayer
from skill_plugin.nn.packed_batch import PackedBatch


class Encoder(nn.Module):
    """A Transformer encoder over packed batches.

    Args:
        embeddings: maps a batch to [N, D].
        layers: from the bottom to the top.
    """

    def __init__(self, embeddings: nn.Module, layers: Iterable[EncoderLayer]) -> None:
        super().__init__()
        self.embeddings = embeddings
        self.layers = nn.ModuleList(layers)

    def forward(self, batch: PackedBatch) -> Tensor:
        """Hidden states of the last layer [N, D]."""
        x = self.first_layer_input(batch)
        for layer in self.layers:
            x = layer(x, batch)
        return x

    def first_layer_input(self, batch: PackedBatch) -> Tensor:
        """What the lowest layer reads [N, D]."""
        return self.embeddings(batch)  # type: ignore[no-any-return]
