"""A model of which nothing but the answers of its heads is wanted.

Heads read some tokens only, such as the first one of each sequence. Above the last layer's attention no token reads
another, so that the others need not go through the last feed-forward network: two thirds of that layer's products.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import cast

import torch
from torch import Tensor, nn

from skill_plugin.nn.encoder_layer import EncoderLayer
from skill_plugin.nn.layer_output import LayerOutput
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.t5.text_to_text_model import TextToTextModel


def answers_only(model: MultitaskModel) -> MultitaskModel:
    """A model of the same modules that gives the same answers, but not all hidden states and routings.

    A decoder reads all of them.
    """
    if isinstance(model, TextToTextModel):
        return model
    encoder = copy.copy(model.encoder)
    encoder._modules = dict(encoder._modules)
    *layers, top = model.encoder.layers
    encoder.layers = nn.ModuleList([*layers, _TopLayer(cast(EncoderLayer, top))])
    return MultitaskModel(encoder, dict(model.heads.items())).train(model.training)


class _TopLayer(nn.Module):
    """A layer that gives the right hidden states of the tokens that heads read, and any of the others."""

    def __init__(self, layer: EncoderLayer) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor, batch: PackedBatch) -> LayerOutput:
        """[N, D] -> [N, D]"""
        x = self.layer.attend(x, batch)
        read = torch.cat([units.flatten() for units in batch.units]).unique()
        # a pack with task embeddings says of each of its tokens which one it has
        if len(read) > len(x) // 2 or type(batch) is not PackedBatch:
            return self.layer.feed(x, batch)
        if not len(read):
            return LayerOutput(x)
        y, routing = self.layer.feed(x[read], _at(batch, read))
        return LayerOutput(x.index_copy(0, read, y), routing)


def _at(batch: PackedBatch, tokens: Tensor) -> PackedBatch:
    """Some tokens of a pack, in order, as a pack for modules that map each token by itself."""
    bounds = torch.tensor([0, *(segment.end for segment in batch.segments)], device=tokens.device)
    places = torch.searchsorted(tokens, bounds).tolist()
    segments = [
        replace(segment, start=start, end=end)
        for segment, start, end in zip(batch.segments, places, places[1:], strict=False)
        if start < end
    ]
    lengths = [segment.end - segment.start for segment in segments]
    return PackedBatch(batch.tokens[tokens], batch.positions[tokens], None, lengths, segments, [])
