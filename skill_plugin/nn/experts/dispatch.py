"""Sorts the tokens of a pack by expert, once, whichever gates chose; brings the experts' outputs back."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


class Dispatch:
    """M = N k rows, one for each choice of a token, in the order of the experts.

    Both directions and their gradients gather rows, which is exact and repeatable: nothing adds up in changing order.
    The methods compute; ``dispatch_tokens`` and ``combine_outputs`` of this file are the same for autograd.

    Args:
        choices: experts of each token [N, k].
        experts: E.

    Attributes:
        experts: the expert of each row [M].
        order: the choice that each row is, k t + j for choice j of token t [M].
        tokens: the token of each row [M].
        rows: the row of each choice [M].
        ends: where each expert's rows end [E], int32.
    """

    def __init__(self, choices: Tensor, experts: int) -> None:
        self.per_token = choices.shape[1]
        flat = choices.flatten().to(torch.uint8 if experts <= 256 else torch.int64)  # short keys are sorted faster
        self.experts, self.order = flat.sort(stable=True)
        self.tokens = self.order if self.per_token == 1 else self.order // self.per_token
        self.rows = torch.empty_like(self.order)
        self.rows.scatter_(0, self.order, torch.arange(len(flat), device=flat.device))
        numbers = torch.arange(experts, device=flat.device, dtype=flat.dtype)
        self.ends = torch.searchsorted(self.experts, numbers, right=True, out_int32=True)

    def sizes(self) -> list[int]:
        """Rows of each expert, on the host: on a GPU this waits for the device."""
        ends: list[int] = self.ends.tolist()
        return [end - start for start, end in zip([0, *ends], ends, strict=False)]

    def one_hot(self, columns: int, dtype: torch.dtype) -> Tensor:
        """1 in the column of each row's expert, else 0 [M, columns]; there may be more columns than experts."""
        numbers = torch.arange(columns, device=self.experts.device, dtype=self.experts.dtype)
        return (self.experts.unsqueeze(1) == numbers).to(dtype)

    def to_experts(self, x: Tensor) -> Tensor:
        """[N, D] -> [M, D]: the tokens of the first expert, then those of the second, …"""
        return x.index_select(0, self.tokens)

    def to_experts_backward(self, grad: Tensor) -> Tensor:
        """[M, D] -> [N, D]"""
        back = grad.index_select(0, self.rows)
        return back if self.per_token == 1 else back.view(-1, self.per_token, back.shape[1]).sum(1)

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

    def combine_backward(self, grad: Tensor, y: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        """[N, D] -> gradients of y [M, D] and of the factors [N, k]."""
        rows = grad.index_select(0, self.tokens)
        products = (rows * y).sum(-1, dtype=weights.dtype)
        factors = weights.to(y.dtype).flatten().index_select(0, self.order)
        return rows.mul_(factors.unsqueeze(1)), products.index_select(0, self.rows).view_as(weights)


def dispatch_tokens(x: Tensor, dispatch: Dispatch) -> Tensor:
    """``Dispatch.to_experts`` with its gradient."""
    return _DispatchTokens.apply(x, dispatch)  # type: ignore[no-untyped-call, no-any-return]


def combine_outputs(y: Tensor, weights: Tensor, dispatch: Dispatch) -> Tensor:
    """``Dispatch.combine`` with its gradients."""
    return _CombineOutputs.apply(y, weights, dispatch)  # type: ignore[no-untyped-call, no-any-return]


class _DispatchTokens(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, dispatch: Dispatch) -> Tensor:
        ctx.dispatch = dispatch
        return dispatch.to_experts(x)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return ctx.dispatch.to_experts_backward(grad), None


class _CombineOutputs(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, y: Tensor, weights: Tensor, dispatch: Dispatch) -> Tensor:
        ctx.dispatch = dispatch
        ctx.save_for_backward(y, weights)
        return dispatch.combine(y, weights)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        return *ctx.dispatch.combine_backward(grad, *ctx.saved_tensors), None
