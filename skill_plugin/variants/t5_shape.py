"""Sizes of an encoder with a decoder, as T5 1.1 and mT5 have them."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import ClassVar

from skill_plugin.variants.named_sizes import check_sizes


@dataclass(frozen=True)
class T5Size:
    """A named size: what decides the shapes of a model's matrices, apart from its vocabulary.

    Attributes:
        layers, decoder_layers: of the encoder and of the decoder.
        width, heads, head_width, inner: D, H, d and F; H d need not be D.
    """

    layers: int
    decoder_layers: int
    width: int
    heads: int
    head_width: int
    inner: int

    def __str__(self) -> str:
        return (
            f"{self.layers} + {self.decoder_layers} layers x {self.width} with {self.heads} heads of {self.head_width} "
            f"and feed-forward {self.inner}"
        )


# mT5's (Xue et al. 2021; its published configurations), and one for tests
T5_SIZES = {
    "tiny": T5Size(2, 2, 64, 3, 16, 128),
    "small": T5Size(8, 8, 512, 6, 64, 1024),
    "base": T5Size(12, 12, 768, 12, 64, 2048),
    "large": T5Size(24, 24, 1024, 16, 64, 2816),
}


@dataclass(frozen=True)
class T5Shape(T5Size):
    """What decides every tensor's size, and what the pretrained model decides besides.

    Attributes:
        vocabulary: rows of the table of embeddings.
        tied: whether logits are made with that table, rather than with one of their own.
        buckets, distance: of the relative positions.
        eps: of the norms.
        dropout, attention_dropout: as of ``EncoderShape``.
    """

    vocabulary: int
    tied: bool = False
    buckets: int = 32
    distance: int = 128
    eps: float = 1e-6
    dropout: float = 0.1
    attention_dropout: float = 0.1

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    @property
    def positions(self) -> int:
        """Tokens of the longest sequence that it can read: positions are relative, so any number."""
        return sys.maxsize

    @property
    def token_types(self) -> int:
        """It has none."""
        return 0

    @property
    def size(self) -> T5Size:
        """Its sizes alone."""
        return T5Size(self.layers, self.decoder_layers, self.width, self.heads, self.head_width, self.inner)


def fit_t5_shape(shape: T5Shape, pretrained: T5Shape, architecture: str, file: str) -> T5Shape:
    """Completes a shape with what a pretrained model decides: vocabulary, table of logits, positions and eps.

    Args:
        shape: shape of the architecture.
        pretrained: shape of the model in ``file``.
        architecture, file: their names, for the message.

    Raises:
        InputError: the two differ in their sizes.
    """
    check_sizes(shape.size, pretrained.size, T5_SIZES, "the model", architecture, file)
    return replace(pretrained, dropout=shape.dropout, attention_dropout=shape.attention_dropout)
