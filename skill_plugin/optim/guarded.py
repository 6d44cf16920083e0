"""Which parameters an update is of, and which of them may have to stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

import torch
from torch import Tensor

HALF = {torch.float16, torch.bfloat16}


class Guarded(NamedTuple):
    """Parameters that may have to stay as they are, which only the device knows.

    Attributes:
        parameters: some that are updated.
        flag: a float32 scalar on their device; where it is 1, they do not change.
    """

    parameters: Sequence[Tensor]
    flag: Tensor


def with_gradient(params: Sequence[Tensor]) -> list[Tensor]:
    """The parameters that have a gradient."""
    # gradients are fetched without a line of Python for each parameter: a bank of skills has thousands without one
    return [p for p, grad in zip(params, map(gradient, params), strict=True) if grad is not None]


gradient = attrgetter("grad")


def by_flag(
    params: Sequence[Tensor], found_inf: Tensor | None, apart: Sequence[Guarded]
) -> Iterator[tuple[list[Tensor], Tensor | None]]:
    """Parameters by what says whether they stay as they are."""
    if not apart:
        yield list(params), found_inf
        return
    elsewhere = {id(p) for one in apart for p in one.parameters}
    yield [p for p in params if id(p) not in elsewhere], found_inf
    here = set(map(id, params))
    for one in apart:
        yield [p for p in one.parameters if id(p) in here], one.flag
