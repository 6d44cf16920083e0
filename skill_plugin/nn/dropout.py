"""Dropout whose random numbers do not cost more than the layer that they regularise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_LEVELS = 1 << 16  # of a 16-bit random number
_copies: ContextVar[int] = ContextVar("copies", default=1)


@contextmanager
def share_masks(copies: int) -> Iterator[None]:
    """Inside, every dropout of a pack that is some copies of the same sequences drops the same elements of each.

    That holds for attention weights, for the adapters of a map and for heads as well. A module therefore has nothing to
    do for it but to use ``Dropout``: whatever rows it is given, those of the first copy come first.
    """
    token = _copies.set(copies)
    try:
        yield
    finally:
        _copies.reset(token)


def current_copies() -> int:
    """How many copies, one after the other, are dropped the same elements; 1 outside ``share_masks``."""
    return _copies.get()


def dropout(x: Tensor, probability: float, copies: int = 1) -> Tensor:
    """Sets elements to 0 with a probability and scales the others up, so that the expectation stays.

    torch draws one number an element on the CPU, one after the other, which takes a sixth of a training step. Here one
    64-bit draw decides four elements, six times as fast; the probability is rounded to a multiple of 2^-16. CUDA has a
    kernel of its own.

    Args:
        x: any shape.
        probability: probability of an element to become 0, in [0, 1).
        copies: how many copies of the same rows x holds one after the other; the same elements of each become 0.
    """
    if copies > 1 and probability > 0.0:
        both: Tensor = x.unflatten(0, (copies, len(x) // copies))
        mask = dropout(torch.ones_like(both[0]), probability)
        return (both * mask).flatten(0, 1)
    if probability == 0.0 or x.is_cuda:
        return F.dropout(x, probability)
    factors = dropout_factors(x.numel(), probability).view(x.shape)
    if x.dtype == torch.float32:
        return x * factors
    return (x * (factors > 0)).mul_(_scale(probability))  # half precision would round the factors


def dropout_factors(elements: int, probability: float) -> Tensor:
    """What ``dropout`` multiplies so many elements with on the CPU: 0, or 1 / (1 - probability); float32 [elements]."""
    draws = torch.empty((elements + 3) // 4, dtype=torch.int64).random_(-(1 << 63), None)
    keep = draws.view(torch.int16)[:elements] >= round(probability * _LEVELS) - _LEVELS // 2
    # numbers, since torch multiplies by booleans by way of a copy, and again in the backward pass
    return keep.float().mul_(_scale(probability))


def _scale(probability: float) -> float:
    return _LEVELS / (_LEVELS - round(probability * _LEVELS))


def by_copy(function: Callable[..., Tensor], copies: int, *rows: Tensor) -> Tensor:
    """A function that draws random numbers, applied to each copy of some rows with the same numbers.

    Args:
        function: maps tensors of n rows each to [n, …].
        copies: how many copies.
        rows: its arguments, of each ``copies`` copies of n rows, one after the other; n may differ among them.
    """
    device = rows[0].device
    state = torch.cuda.get_rng_state(device) if device.type == "cuda" else torch.get_rng_state()
    outputs = []
    for parts in zip(*(one.chunk(copies) for one in rows), strict=True):
        torch.cuda.set_rng_state(state, device) if device.type == "cuda" else torch.set_rng_state(state)
        outputs.append(function(*parts))
    return torch.cat(outputs)


class Dropout(nn.Module):
    """``dropout`` while training, the same for each of the copies of ``share_masks``.

    Args:
        probability: probability of an element to become 0.
    """

    def __init__(self, probability: float) -> None:
        super().__init__()
        self.probability = probability

    def forward(self, x: Tensor) -> Tensor:
        """Any shape -> the same shape."""
        return dropout(x, self.probability, current_copies()) if self.training else x
