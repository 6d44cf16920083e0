"""Sizes of an encoder, apart from which variant it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from skill_plugin.options.allowed_values import DROPOUT
from skill_plugin.options.option import Options, option
from skill_plugin.variants.named_sizes import check_sizes


@dataclass(frozen=True)
class EncoderShape(Options):
    """What decides every tensor's size, and what the pretrained encoder decides besides.

    Attributes:
        layers, width, heads, inner: number of layers, D, H and F.
        vocabulary, positions, token_types: rows of the three embedding tables (token_types may be 0).
        layer_norm_eps: epsilon of the layer normalisations, as the pretrained encoder has it.
        dropout, attention_dropout: dropout of hidden states and of attention weights, while training.
    """

    title: ClassVar[str] = "encoder"

    layers: int
    width: int
    heads: int
    inner: int
    vocabulary: int
    positions: int = 512
    token_types: int = 0
    layer_norm_eps: float = 1e-5
    dropout: float = option(
        "dropout", float, 0.1, "dropout after embeddings, attention and feed-forward", allowed=DROPOUT
    )
    attention_dropout: float = option("attention_dropout", float, 0.1, "dropout on attention weights", allowed=DROPOUT)

    @property
    def size(self) -> Size:
        """Its sizes alone."""
        return Size(self.layers, self.width, self.heads, self.inner)


@dataclass(frozen=True)
class Size:
    """A named size: layers, D, H and F of ``EncoderShape``."""

    layers: int
    width: int
    heads: int
    inner: int

    def __str__(self) -> str:
        return f"{self.layers} layers x {self.width} with {self.heads} heads and feed-forward {self.inner}"


SIZES = {
    "tiny": Size(2, 64, 2, 128),
    "small": Size(6, 384, 12, 1536),
    "minilm12": Size(12, 384, 12, 1536),
    "base": Size(12, 768, 12, 3072),
    "large": Size(24, 1024, 16, 4096),
}


def fit_shape(shape: EncoderShape, pretrained: EncoderShape, architecture: str, file: str) -> EncoderShape:
    """Completes a shape with what a pretrained encoder decides: vocabulary, positions, token types and eps.

    Args:
        shape: shape of the architecture.
        pretrained: shape of the encoder in ``file``.
        architecture, file: their names, for the message.

    Raises:
        InputError: the two differ in layers, width, heads or feed-forward width.
    """
    check_sizes(shape.size, pretrained.size, SIZES, "the encoder", architecture, file)
    return replace(
        shape,
        vocabulary=pretrained.vocabulary,
        positions=pretrained.positions,
        token_types=pretrained.token_types,
        layer_norm_eps=pretrained.layer_norm_eps,
    )
