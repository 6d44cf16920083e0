"""Greedy decoding, a token of every sequence at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from skill_plugin.nn.attention_kernels import padded_attention
from skill_plugin.nn.linear import linear
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.t5.cross_layout import CrossLayout
from skill_plugin.nn.t5.decoder import Decoder, DecoderLayer
from skill_plugin.text.vocabulary import Vocabulary


def generate(
    decoder: Decoder,
    embeddings: nn.Embedding,
    table: Tensor,
    never: Tensor,
    states: Tensor,
    batch: PackedBatch,
    most: int,
) -> list[Tensor]:
    """What the likeliest next token, again and again, writes for each source sequence.

    Args:
        decoder: in evaluation mode.
        embeddings: of the tokens.
        table: what logits are made with [V, D].
        never: what is added to them [V].
        states: hidden states of the sources [N, D].
        batch: the sources.
        most: no more tokens are written.

    Returns:
        For each sequence the tokens before ``</s>``, int64, on the CPU.
    """
    count = len(batch.lengths)
    sources = CrossLayout([1] * count, batch.lengths, states.device)
    layers = [_Step(cast(DecoderLayer, layer), states, sources) for layer in decoder.layers]
    bias = decoder.positions(max(most, 1))
    tokens = batch.tokens.new_full((count,), Vocabulary.pad)
    ended = torch.zeros(count, dtype=torch.bool, device=states.device)
    written: list[Tensor] = []
    for place in range(most):
        x = embeddings(tokens)
        for layer in layers:
            x = layer(x, bias[:, place : place + 1, : place + 1])
        tokens = linear(decoder.norm(x), table, never).argmax(1)
        written.append(tokens)
        ended |= tokens == Vocabulary.eos
        if bool(ended.all()):
            break
    if not written:
        return [torch.zeros(0, dtype=torch.int64)] * count
    rows = torch.stack(written, 1).cpu()
    lengths = (rows == Vocabulary.eos).int().cumsum(1).eq(0).sum(1).tolist()
    return [row[:length] for row, length in zip(rows, lengths, strict=True)]


@dataclass
class _Step:
    """A layer that reads one token of each of S targets, and remembers the keys and values of those before it."""

    layer: DecoderLayer
    states: Tensor
    sources: CrossLayout

    def __post_init__(self) -> None:
        self._key_value = self.layer.cross_attention.key_value(self.states)
        self._past: Tensor | None = None

    def __call__(self, x: Tensor, bias: Tensor) -> Tensor:
        """[S, D] -> [S, D], with the bias of the token's logits for all tokens up to it [H, 1, tokens]."""
        layer, attention = self.layer, self.layer.attention
        qkv = attention.qkv(layer.attention_norm(x)).view(len(x), 3, attention.heads, 1, -1)
        self._past = qkv[:, 1:] if self._past is None else torch.cat([self._past, qkv[:, 1:]], 3)
        k, v = self._past.unbind(1)
        out = padded_attention(qkv[:, 0], k, v, bias[None].to(k.dtype), 0.0, scale=1.0)
        x = x + attention.output(out.reshape(len(x), -1))
        x = x + layer.cross_attention.attend(layer.cross_attention_norm(x), self._key_value, self.sources)
        return x + layer.feed_forward(layer.feed_forward_norm(x))
