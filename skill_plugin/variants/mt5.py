"""``mt5``: text in and text out (Xue et al. 2021; the thesis, sections 3.1, 3.2), with no parameters of a task."""

from __future__ import annotations

import math

from torch import nn

from skill_plugin.nn.linear import Linear
from skill_plugin.nn.t5.cross_attention import CrossAttention
from skill_plugin.nn.t5.decoder import Decoder, DecoderLayer
from skill_plugin.nn.t5.encoder import T5Embeddings, T5Encoder, T5EncoderLayer
from skill_plugin.nn.t5.gated_feed_forward import GatedFeedForward
from skill_plugin.nn.t5.relative_positions import RelativePositions
from skill_plugin.nn.t5.rms_norm import RmsNorm
from skill_plugin.nn.t5.self_attention import T5SelfAttention
from skill_plugin.nn.t5.text_to_text_model import TextToTextModel
from skill_plugin.variants.t5_shape import T5Shape


def build_mt5(shape: T5Shape) -> TextToTextModel:
    """The model with fresh weights."""
    encoder = T5Encoder(
        T5Embeddings(shape.vocabulary, shape.width, _positions(shape, both_ways=True), shape.dropout),
        [
            T5EncoderLayer(_attention(shape), _feed_forward(shape), (_norm(shape), _norm(shape)), shape.dropout)
            for _ in range(shape.layers)
        ],
        _norm(shape),
        shape.dropout,
    )
    decoder = Decoder(
        _positions(shape, both_ways=False),
        [
            DecoderLayer(
                _attention(shape),
                CrossAttention(shape.width, shape.heads, shape.head_width, shape.attention_dropout),
                _feed_forward(shape),
                (_norm(shape), _norm(shape), _norm(shape)),
                shape.dropout,
            )
            for _ in range(shape.decoder_layers)
        ],
        _norm(shape),
        shape.dropout,
        None if shape.tied else Linear(shape.width, shape.vocabulary, bias=False),
    )
    model = TextToTextModel(encoder, decoder)
    _initialise(model, shape)
    return model


def _initialise(model: TextToTextModel, shape: T5Shape) -> None:
    """As Mesh TensorFlow does: maps by their fan-in, queries by 1 / √d more, since logits are not divided by it.

    The map to the symbols too (t5x); a table that is tied to the embeddings is drawn as these are, of deviation 1.
    """
    for name, parameter in model.named_parameters():
        if name.endswith("norm.weight"):
            continue
        if name == "encoder.embeddings.tokens.weight":
            nn.init.normal_(parameter, std=1.0)
            continue
        fan_in = shape.width if name.endswith("positions.weight") else parameter.shape[1]
        nn.init.normal_(parameter, std=1 / math.sqrt(fan_in))
        if name.endswith((".qkv.weight", ".query.weight")):
            queries = parameter.data[: shape.heads * shape.head_width]
            nn.init.normal_(queries, std=1 / math.sqrt(fan_in * shape.head_width))


def _attention(shape: T5Shape) -> T5SelfAttention:
    return T5SelfAttention(shape.width, shape.heads, shape.head_width, shape.attention_dropout)


def _feed_forward(shape: T5Shape) -> GatedFeedForward:
    return GatedFeedForward(shape.width, shape.inner, shape.dropout)


def _norm(shape: T5Shape) -> RmsNorm:
    return RmsNorm(shape.width, shape.eps)


def _positions(shape: T5Shape, both_ways: bool) -> RelativePositions:
    return RelativePositions(shape.buckets, shape.distance, shape.heads, both_ways)
