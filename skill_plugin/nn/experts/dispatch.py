"""Sorts the tokens of a pack by expert, once, whichever gates chose; brings the experts' outputs back."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


class Dispatch:
    """M = N k rows, one for each choice of a token, in the order of the experts.

    Both directions and their gradients gather rows, which is exact and repeatable: nothing adds up in changing order.

    Args:
        choices: experts of each token [N, k].
        experts: E.
    """

    def __init__(self, choices: Tensor, experts: int) -> None:
        self.per_token = choices.shape[1]
        flat = choices.flatten().to(torch.uint8 if experts <= 256 else torch.int64)  # short keys are sorted faster
        #: the expert of each row [M]; which choice (token k + j) it is [M]; which token [M]; the row of a choice [M]
        self.experts, self.order = flat.sort(stable=True)
        self.tokens = self.order if self.per_token == 1 else self.order // self.per_token
        self.rows = torch.empty_like(self.order)
        self.rows[self.order] = torch.arange(len(flat), device=flat.device)
        #: where each expert's rows end [E], int32
        numbers = torch.arange(experts, device=flat.device, dtype=flat.dtype)
        self.ends = torch.searchsorted(self.experts, numbers, right=True, out_int32=True)

    def sizes(self) -> list[int]:
        """Rows of each expert, on the host: on a GPU this waits for the device."""
        ends: list[int] = self.ends.tolist()
        return [end - start for start, end in zip([0, *ends], ends, strict=False)]

    def spread(self, x: Tensor) -> Tensor:
        """[N, D] -> [M, D]: the tokens of the first expert, then those of the second, …"""
        return _Spread.apply(x, self)  # type: ignore[no-untyped-call, no-any-return]

    def collect(self, y: Tensor, weights: Tensor) -> Tensor:
        """[M, D] and factors [N, k] -> [N, D]: for each token the weighted sum of its rows."""
        return _Collect.apply(y, weights, self)  # type: ignore[no-untyped-call, no-any-return]


class _Spread(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, dispatch: Dispatch) -> Tensor:
        ctx.dispatch = dispatch
        return x.index_select(0, dispatch.tokens)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        back = grad.index_select(0, ctx.dispatch.rows)
        k = ctx.dispatch.per_token
        return (back if k == 1 else back.view(-1, k, back.shape[1]).sum(1)), None


class _Collect(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, y: Tensor, weights: Tensor, dispatch: Dispatch) -> Tensor:
        ctx.dispatch = dispatch
        ctx.save_for_backward(y, weights)
        factors = weights.to(y.dtype)
        rows = y.index_select(0, dispatch.rows).view(*factors.shape, y.shape[1])
        out = rows[:, 0] * factors[:, :1] if dispatch.per_token > 1 else rows[:, 0].mul_(factors)
        for j in range(1, dispatch.per_token):
            out.addcmul_(rows[:, j], factors[:, j : j + 1])
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        y, weights = ctx.saved_tensors
        dispatch: Dispatch = ctx.dispatch
        grad_rows = grad.index_select(0, dispatch.tokens)
        grad_weights = None
        if ctx.needs_input_grad[1]:
            grad_weights = torch.linalg.vecdot(grad_rows, y).index_select(0, dispatch.rows)
            grad_weights = grad_weights.view_as(weights).to(weights.dtype)
        factors = weights.flatten().index_select(0, dispatch.order).to(y.dtype)
        return grad_rows.mul_(factors.unsqueeze(1)), grad_weights, None
