"""Sizes of an encoder, apart from which variant it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from skill_plugin.errors import InputError
from skill_plugin.options.allowed_values import DROPOUT
from skill_plugin.options.option import Options, option


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


@dataclass(frozen=True)
class Size:
    """A named size: layers, D, H and F of ``EncoderShape``."""

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


def size_name(shape: EncoderShape | Size) -> str | None:
    """The name of the shape's size; None where it has none."""
    size = Size(shape.layers, shape.width, shape.heads, shape.inner)
    return next((name for name, known in SIZES.items() if known == size), None)


def fit_shape(shape: EncoderShape, pretrained: EncoderShape, architecture: str, file: str) -> EncoderShape:
    """Completes a shape with what a pretrained encoder decides: vocabulary, positions, token types and eps.

    Args:
        shape: shape of the architecture.
        pretrained: shape of the encoder in ``file``.
        architecture, file: their names, for the message.

    Raises:
        InputError: the two differ in layers, width, heads or feed-forward width.
    """
    sizes = [(s.layers, s.width, s.heads, s.inner) for s in (pretrained, shape)]
    if sizes[0] != sizes[1]:
        theirs, ours = ("{} layers x {} with {} heads and feed-forward {}".format(*size) for size in sizes)
        fitting = size_name(pretrained)
        hint = f"; did you mean --arch {architecture.rsplit('_', 1)[0]}_{fitting}?" if fitting else ""
        raise InputError(f"the encoder has {theirs}, --arch {architecture} has {ours}{hint}", file)
    return replace(
        shape,
        vocabulary=pretrained.vocabulary,
        positions=pretrained.positions,
        token_types=pretrained.token_types,
        layer_norm_eps=pretrained.layer_norm_eps,
    )
