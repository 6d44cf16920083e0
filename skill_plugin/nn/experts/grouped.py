"""All experts at once by grouped matrix products: nothing waits for the device, and no expert is launched alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from skill_plugin.nn.experts.dispatch import Dispatch
from skill_plugin.nn.feed_forward import FeedForward

_PARTS = 4  # of an expert: weight and bias of fc1 and of fc2


def has_grouped_product(expert: FeedForward, x: Tensor) -> bool:
    """Whether ``torch._grouped_mm`` is fast here: bfloat16 on Hopper, rows of all matrices in multiples of 16 bytes."""
    if not x.is_cuda or x.dtype != torch.bfloat16 or not hasattr(torch, "_grouped_mm"):
        return False
    aligned = all(size % 8 == 0 for size in expert.fc1.weight.shape)
    return aligned and torch.cuda.get_device_capability(x.device)[0] == 9


def grouped_experts(experts: Sequence[FeedForward], x: Tensor, weights: Tensor, dispatch: Dispatch) -> Tensor:
    """For each token the weighted sum of its experts' outputs: x [N, D] and weights [N, k] -> [N, D].

    An expert without rows gets a gradient of zeros.
    """
    linear = [expert.fc1 for expert in experts], [expert.fc2 for expert in experts]
    parameters = [parameter for maps in linear for parameter in [*(m.weight for m in maps), *(m.bias for m in maps)]]
    return _GroupedExperts.apply(x, weights, dispatch, *parameters)  # type: ignore[no-untyped-call, no-any-return]


class _GroupedExperts(torch.autograd.Function):
    """The layer from tokens to tokens, since a GPU computes it faster than autograd could record its parts."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weights: Tensor, dispatch: Dispatch, *parameters: Tensor) -> Tensor:
        w1, b1, w2, b2 = _stacked(parameters, x.dtype)
        # biases by a matrix product with ones and zeros: one pass over the rows, and their gradient one as well
        owners = dispatch.one_hot(len(b1), x.dtype)
        rows = dispatch.to_experts(x)
        inner = torch._grouped_mm(rows, w1.transpose(1, 2), offs=dispatch.ends).addmm_(owners, b1)
        active = F.gelu(inner)
        y = torch._grouped_mm(active, w2.transpose(1, 2), offs=dispatch.ends).addmm_(owners, b2)
        ctx.dispatch, ctx.dtype = dispatch, parameters[0].dtype
        ctx.save_for_backward(weights, w1, w2, owners, rows, inner, active, y)
        return dispatch.combine(y, weights)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        weights, w1, w2, owners, rows, inner, active, y = ctx.saved_tensors
        dispatch: Dispatch = ctx.dispatch
        grad_y, grad_weights = dispatch.combine_backward(grad, y, weights)
        grad_inner = torch.ops.aten.gelu_backward(torch._grouped_mm(grad_y, w2, offs=dispatch.ends), inner)
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = dispatch.to_experts_backward(torch._grouped_mm(grad_inner, w1, offs=dispatch.ends))
        if not any(ctx.needs_input_grad[3:]):  # frozen: half of the backward pass
            return grad_x, grad_weights, *[None] * (len(ctx.needs_input_grad) - 2)
        stacks = [
            torch._grouped_mm(grad_inner.t(), rows, offs=dispatch.ends),
            (owners.t() @ grad_inner)[: len(w1)],
            torch._grouped_mm(grad_y.t(), active, offs=dispatch.ends),
            (owners.t() @ grad_y)[: len(w2)],
        ]
        return grad_x, grad_weights, None, *_unstacked(stacks, ctx.dtype)


def _stacked(parameters: Sequence[Tensor], dtype: torch.dtype) -> list[Tensor]:
    """The parameters of each part as one tensor [E, …], cast and copied in one pass.

    Biases get rows of zeros up to a multiple of 8, which matrix products need to be fast.
    """
    experts = len(parameters) // _PARTS
    w1, b1, w2, b2 = parameters[::experts]
    stacks = [
        w1.new_empty((experts, *w1.shape), dtype=dtype),
        b1.new_zeros((-(-experts // 8) * 8, *b1.shape), dtype=dtype),
        w2.new_empty((experts, *w2.shape), dtype=dtype),
        b2.new_zeros((-(-experts // 8) * 8, *b2.shape), dtype=dtype),
    ]
    torch._foreach_copy_([one for stack in stacks for one in stack[:experts].unbind()], list(parameters))
    return stacks


def _unstacked(stacks: Sequence[Tensor], dtype: torch.dtype) -> list[Tensor]:
    """Back to one tensor for each parameter, in the parameters' type."""
    parts = [one for stack in stacks for one in stack.unbind()]
    if parts[0].dtype == dtype:
        return parts
    casts = [one for stack in stacks for one in torch.empty_like(stack, dtype=dtype).unbind()]
    torch._foreach_copy_(casts, parts)
    return casts
