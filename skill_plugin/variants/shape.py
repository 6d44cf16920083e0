"""Sizes of an encoder, apart from which variant it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """What decides every tensor's size, and what the pretrained encoder decides besides.

    Attributes:
        layers, width, heads, inner: number of layers, D, H and F.
        vocabulary, positions, token_types: rows of the three embedding tables (token_types may be 0).
        layer_norm_eps: as the pretrained encoder has it.
        dropout, attention_dropout: while training.
    """

    layers: int
    width: int
    heads: int
    inner: int
    vocabulary: int
    positions: int = 512
    token_types: int = 0
    layer_norm_eps: float = 1e-5
    dropout: float = 0.1
    attention_dropout: float = 0.1


@dataclass(frozen=True)
class Size:
    """A named size: layers, D, H and F of ``Shape``."""

    layers: int
    width: int
    heads: int
    inner: int


SIZES = {
    "tiny": Size(2, 64, 2, 128),
    "small": Size(6, 384, 12, 1536),
    "minilm12": Size(12, 384, 12, 1536),
    "base": Size(12, 768, 12, 3072),
    "large": Size(24, 1024, 16, 4096),
}
