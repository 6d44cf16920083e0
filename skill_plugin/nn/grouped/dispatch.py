"""Sorts the tokens of a pack by the modules that they chose, once; brings the modules' outputs back."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

MULTIPLE = 8  # elements of 16 bytes, of which grouped products need rows to be multiples


class Dispatch:
    """M rows, one for each choice of a token, in the order of the modules.

    Both directions and their gradients gather rows, which is exact and repeatable: nothing adds up in changing order.
    The methods compute; ``dispatch_tokens`` and ``combine_outputs`` of this file are the same for autograd.

    A token may choose fewer modules than others: module E in place of a choice stands for none. The M rows may then be
    more than there are choices. What comes after the last module's end holds anything, numbers or not; no module runs
    on it, and no token reads it.

    Args:
        choices: modules of each token [N, k], integers.
        modules: E.
        rows: M, at least the number of choices, where tokens may choose fewer than k; by default N k.

    Attributes:
        ragged: whether tokens may choose fewer than k.
        modules: the module of each row [M].
        order: the choice that each row is, k t + j for choice j of token t [M].
        tokens: the token of each row [M].
        rows: the row of each choice [N k]; any row for one that is missing.
        ends: where each module's rows end [E], int32.
    """

    def __init__(self, choices: Tensor, modules: int, rows: int | None = None) -> None:
        self.per_token, self.ragged = choices.shape[1], rows is not None
        flat = choices.flatten().to(torch.uint8 if modules < 256 else torch.int64)  # short keys are sorted faster
        self.modules, self.order = flat.sort(stable=True)
        self.rows = torch.empty_like(self.order)
        self.rows.scatter_(0, self.order, torch.arange(len(flat), device=flat.device))
        if rows is not None:
            self.modules, self.order = self.modules[:rows], self.order[:rows]
            self.present = choices < modules
            self.rows.mul_(self.present.flatten())
        self.tokens = self.order if self.per_token == 1 else self.order // self.per_token
        numbers = torch.arange(modules, device=flat.device, dtype=flat.dtype)
        self.ends = torch.searchsorted(self.modules, numbers, right=True, out_int32=True)

    def sizes(self) -> list[int]:
        """Rows of each module, on the host: on a GPU this waits for the device."""
        ends: list[int] = self.ends.tolist()
        return [end - start for start, end in zip([0, *ends], ends, strict=False)]

    def one_hot(self, dtype: torch.dtype) -> Tensor:
        """1 in the column of each row's module, else 0 [M, columns]."""
        numbers = torch.arange(self.columns, device=self.modules.device, dtype=self.modules.dtype)
        return (self.modules.unsqueeze(1) == numbers).to(dtype)

    def to_modules(self, x: Tensor) -> Tensor:
        """[N, D] -> [M, D]: the tokens of the first module, then those of the second, …"""
        return x.index_select(0, self.tokens)

    def to_modules_backward(self, grad: Tensor) -> Tensor:
        """[M, D] -> [N, D]"""
        if self.ragged:
            return self.combine(grad, self.present)
        back = grad.index_select(0, self.rows)
        return back if self.per_token == 1 else back.view(-1, self.per_token, back.shape[1]).sum(1)

    def sum_rows(self, grad: Tensor) -> Tensor:
        """The sum of each module's rows [M, F] -> [E, F], in the type of the rows."""
        if not self.ragged:
            return self.one_hot(grad.dtype).t()[: len(self.ends)] @ grad
        # by a product that stops at the last module's end; 8 columns, since those of a matrix come in 16 bytes
        ones = grad.new_ones(len(grad), MULTIPLE)
        return torch._grouped_mm(grad.t(), ones, offs=self.ends)[:, :, 0]

    @property
    def columns(self) -> int:
        """E, or a few more: products want rows in multiples of 16 bytes."""
        return -(-len(self.ends) // MULTIPLE) * MULTIPLE

    def combine(self, y: Tensor, weights: Tensor) -> Tensor:
        """[M, D] and factors [N, k] -> [N, D]: for each token the weighted sum of its rows."""
        factors = weights.to(y.dtype)  # mixed types are multiplied at half the speed
        rows = y.index_select(0, self.rows)
        if self.per_token == 1:
            return rows.mul_(factors)
        rows = rows.view(*factors.shape, y.shape[1])
        out = rows[:, 0] * factors[:, :1]
        for j in range(1, self.per_token):
            out.addcmul_(rows[:, j], factors[:, j : j + 1])
        return out

    def combine_backward(self, grad: Tensor, y: Tensor, weights: Tensor, learned: bool) -> tuple[Tensor, Tensor | None]:
        """[N, D] -> gradients of y [M, D] and, where they are learned, of the factors [N, k]."""
        rows = grad.index_select(0, self.tokens)
        products = (
            (rows * y).sum(-1, dtype=weights.dtype).index_select(0, self.rows).view_as(weights) if learned else None
        )
        factors = weights.to(y.dtype).flatten().index_select(0, self.order)
        return rows.mul_(factors.unsqueeze(1)), products


def dispatch_tokens(x: Tensor, dispatch: Dispatch) -> Tensor:
    """``Dispatch.to_modules`` with its gradient."""
    return _DispatchTokens.apply(x, dispatch)


def combine_outputs(y: Tensor, weights: Tensor, dispatch: Dispatch) -> Tensor:
    """``Dispatch.combine`` with its gradients."""
    return _CombineOutputs.apply(y, weights, dispatch)


class _DispatchTokens(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, dispatch: Dispatch) -> Tensor:
        ctx.dispatch = dispatch
        return dispatch.to_modules(x)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return ctx.dispatch.to_modules_backward(grad), None


class _CombineOutputs(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, y: Tensor, weights: Tensor, dispatch: Dispatch) -> Tensor:
        ctx.dispatch = dispatch
        ctx.save_for_backward(y, weights)
        return dispatch.combine(y, weights)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor | None, None]:
        learned = ctx.needs_input_grad[1]
        return *ctx.dispatch.combine_backward(grad, *ctx.saved_tensors, learned), None
