"""How the sentences of an update are spread over GPUs and passes, so that it is the same update on every machine."""

from __future__ import annotations

from dataclasses import dataclass

_STATE = 16  # bytes of a parameter: itself, its gradient, and Adam's two means, float32
_KEPT = 34  # numbers that a layer keeps of a token for the backward pass, in widths (Korthikanti et al. 2022, table 2)
_SPARE = 0.3  # of the memory: what is left to allocators, kernels and heads


@dataclass(frozen=True)
class UpdateBatch:
    """What one update is of.

    Attributes:
        sentences: of a draw.
        draws: in a pass.
        passes: on each GPU.
    """

    sentences: int
    draws: int
    passes: int


def tokens_that_fit(layers: int, width: int, parameters: int, memory: int, bf16: bool) -> int:
    """How many tokens one pass may have, about.

    Args:
        layers, width: of the encoder.
        parameters: of the model.
        memory: of a GPU, in bytes.
        bf16: whether it computes in bfloat16.
    """
    left = memory * (1 - _SPARE) - parameters * _STATE
    a_token = layers * width * _KEPT * (2 if bf16 else 4)
    return max(0, int(left / a_token))


def spread(update: UpdateBatch, longest: int, tokens: int | None, gpus: int) -> UpdateBatch:
    """The same number of sentences on so many GPUs, in passes that fit.

    Passes are given to GPUs as far as they can be divided, then the sentences of a draw are.

    Args:
        update: on one GPU with memory enough.
        longest: tokens of a sequence at most.
        tokens: that fit into one pass; None for any number.
        gpus: how many there are, 1 for the CPU.
    """
    sentences, passes = update.sentences, update.passes
    if passes % gpus == 0:
        passes //= gpus
    else:
        sentences = -(-sentences // gpus)
    while tokens is not None and sentences > 1 and sentences * update.draws * longest > tokens:
        sentences, passes = -(-sentences // 2), passes * 2
    return UpdateBatch(sentences, update.draws, passes)
