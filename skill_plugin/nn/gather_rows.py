"""Rows gathered by numbers, and their gradient gathered back, which is exact and repeatable: nothing adds up."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


def gather_rows(x: Tensor, there: Tensor, back: Tensor, learned: Tensor | None = None) -> Tensor:
    """The rows ``there`` of x: [n, E] -> [m, E].

    Args:
        x: [n, E].
        there: numbers of rows of x [m].
        back: for each row of x the row of the result from which its gradient comes [n].
        learned: whether a row of x gets a gradient [n, 1]; None where all do.
    """
    return _GatherRows.apply(x, there, back, learned)


def take_rows(x: Tensor, rows: Tensor) -> Tensor:
    """Some rows of x, no two the same: [n, E] -> [m, E]. Their gradient is copied where they were, the others get 0."""
    return _TakeRows.apply(x, rows)


class _TakeRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Tensor) -> Tensor:
        ctx.rows, ctx.size = rows, len(x)
        return x.index_select(0, rows)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        return grad.new_zeros(ctx.size, *grad.shape[1:]).index_copy_(0, ctx.rows, grad), None


class _GatherRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, there: Tensor, back: Tensor, learned: Tensor | None) -> Tensor:
        ctx.back, ctx.learned = back, learned
        return x.index_select(0, there)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        rows = grad.index_select(0, ctx.back)
        return rows if ctx.learned is None else rows * ctx.learned, None, None, None
