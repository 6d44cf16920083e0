"""T5's decoder over packed targets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from skill_plugin.nn.dropout import Dropout
from skill_plugin.nn.layer_output import LayerOutput
from skill_plugin.nn.packed_targets import PackedTargets
from skill_plugin.nn.recompute import recompute
from skill_plugin.nn.sequence_layout import SequenceLayout
from skill_plugin.nn.t5.cross_attention import CrossAttention
from skill_plugin.nn.t5.cross_layout import CrossLayout
from skill_plugin.nn.t5.gated_feed_forward import GatedFeedForward
from skill_plugin.nn.t5.position_bias import PositionBias
from skill_plugin.nn.t5.relative_positions import RelativePositions
from skill_plugin.nn.t5.rms_norm import RmsNorm
from skill_plugin.nn.t5.self_attention import T5SelfAttention


@dataclass(frozen=True)
class DecoderPlaces:
    """What the layers of the decoder read beside their hidden states.

    Attributes:
        states: the encoder's hidden states [N, D].
        layout: where the T targets lie.
        bias: relative positions within a target; -inf for what comes later.
        sources: which source each target reads.
    """

    states: Tensor
    layout: SequenceLayout
    bias: PositionBias
    sources: CrossLayout


class DecoderLayer(nn.Module):
    """x + attention(norm(x)), x + cross_attention(norm(x)), then x + feed_forward(norm(x)).

    Args:
        attention, cross_attention, feed_forward: the three parts.
        norms: of each of them.
        dropout: on the output of each, while training.
    """

    def __init__(
        self,
        attention: T5SelfAttention,
        cross_attention: CrossAttention,
        feed_forward: GatedFeedForward,
        norms: tuple[RmsNorm, RmsNorm, RmsNorm],
        dropout: float,
    ) -> None:
        super().__init__()
        self.attention, self.cross_attention, self.feed_forward = attention, cross_attention, feed_forward
        self.attention_norm, self.cross_attention_norm, self.feed_forward_norm = norms
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, places: DecoderPlaces) -> LayerOutput:
        """Hidden states [M, D] of this layer, from those of the layer below [M, D]."""
        x = x + self.dropout(self.attention(self.attention_norm(x), places.layout, places.bias))
        x = x + self.dropout(self.cross_attention(self.cross_attention_norm(x), places.states, places.sources))
        return LayerOutput(x + self.dropout(self.feed_forward(self.feed_forward_norm(x))))


class Decoder(nn.Module):
    """Hidden states of target tokens, from what comes before each of them and from its source.

    Attributes:
        recomputes: whether layers that train keep no activations, see ``recompute``.
        output: the map to the symbols, where it is not the table of embeddings [V, D].

    Args:
        positions: relative positions, one way.
        layers: the layers, from the bottom to the top.
        norm: after the last layer.
        dropout: on embeddings, and after the norm, while training.
        output: as above.
    """

    def __init__(
        self,
        positions: RelativePositions,
        layers: Iterable[DecoderLayer],
        norm: RmsNorm,
        dropout: float,
        output: nn.Linear | None,
    ) -> None:
        super().__init__()
        self.positions, self.layers, self.norm, self.output = positions, nn.ModuleList(layers), norm, output
        self.dropout = Dropout(dropout)
        self.recomputes = False

    def forward(self, embedded: Tensor, targets: PackedTargets, states: Tensor, sources: CrossLayout) -> Tensor:
        """Hidden states from which each token of the targets is told [M, D].

        Args:
            embedded: embeddings of the tokens before them [M, D].
            targets: the targets.
            states: the encoder's hidden states [N, D].
            sources: which source each target reads.
        """
        layout = SequenceLayout(targets.lengths, embedded.device)
        x = self.dropout(embedded)
        bias = PositionBias(self.positions, x, layout, cast(DecoderLayer, self.layers[0]).attention.probability)
        places = DecoderPlaces(states, layout, bias, sources)
        recomputed = self.recomputes and self.training and torch.is_grad_enabled()
        for layer in self.layers:
            x = (recompute(layer, x, places) if recomputed else layer(x, places)).hidden
        return self.dropout(self.norm(x))
