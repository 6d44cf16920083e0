"""Tensors in parts that bound how much memory is needed at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from torch import Tensor

TensorT = TypeVar("TensorT", bound=Tensor)


def element_parts(tensors: Iterable[TensorT], most: int) -> Iterator[list[TensorT]]:
    """Tensors in order, in parts of at most ``most`` elements; a larger tensor is alone."""
    part: list[TensorT] = []
    size = 0
    for tensor in tensors:
        if part and size + tensor.numel() > most:
            yield part
            part, size = [], 0
        part.append(tensor)
        size += tensor.numel()
    if part:
        yield part
