"""Sizes of a model, of an encoder alone or with a decoder."""

from __future__ import annotations

from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.variants.catalogue import MT5
from skill_plugin.variants.encoder_shape import EncoderShape, Size, fit_shape
from skill_plugin.variants.t5_shape import T5Shape, T5Size, fit_t5_shape

ModelShape = EncoderShape | T5Shape


def make_shape(size: Size | T5Size, vocabulary: int, token_types: int = 0, **options: Any) -> ModelShape:
    """The shape of a model with random weights.

    Args:
        size: the architecture's.
        vocabulary: number of symbols.
        token_types: number of token types that the tokenizer has; a model with a decoder reads none.
        options: as ``EncoderShape.read_fields`` gives them.
    """
    if isinstance(size, T5Size):
        return T5Shape(**vars(size), vocabulary=vocabulary, **options)
    return EncoderShape(**vars(size), vocabulary=vocabulary, token_types=token_types, **options)


def fit_to_pretrained(shape: ModelShape, pretrained: ModelShape, architecture: str, file: str) -> ModelShape:
    """Completes a shape with what a pretrained model decides.

    Args:
        shape: shape of the architecture.
        pretrained: shape of the model in ``file``.
        architecture, file: their names, for the message.

    Raises:
        InputError: the two differ in their sizes, or one has a decoder.
    """
    check_has_decoder(isinstance(shape, T5Shape), isinstance(pretrained, T5Shape), architecture, file)
    if isinstance(shape, EncoderShape) and isinstance(pretrained, EncoderShape):
        return fit_shape(shape, pretrained, architecture, file)
    assert isinstance(shape, T5Shape)
    assert isinstance(pretrained, T5Shape)
    return fit_t5_shape(shape, pretrained, architecture, file)


def check_has_decoder(expected: bool, found: bool, architecture: str, file: str) -> None:
    """Checks that a model starts from one of its sort.

    Args:
        expected: whether the architecture has a decoder.
        found: whether the model in ``file`` has one.
        architecture, file: their names, for the message.

    Raises:
        InputError: one has a decoder, the other not.
    """
    if expected and not found:
        raise InputError(f"an encoder alone: --arch {architecture} starts from mT5, encoder and decoder", file)
    if found and not expected:
        raise InputError(
            f"mT5, encoder and decoder: --arch {architecture} starts from an encoder; use --arch {MT5}_…", file
        )
