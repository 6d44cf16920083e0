"""Many feed-forward networks at once: nothing waits for the device, and no network is launched alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from skill_plugin.nn.adapters.lora import LoraLinear
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.grouped.dispatch import Dispatch, combine_outputs, dispatch_tokens
from skill_plugin.nn.grouped.linear_maps import map_rows

_PARTS = 4  # of a network: weight and bias of fc1 and of fc2


def grouped_feed_forwards(networks: Sequence[FeedForward], x: Tensor, weights: Tensor, dispatch: Dispatch) -> Tensor:
    """For each token the weighted sum of the outputs of its networks: x [N, D] and weights [N, k] -> [N, D].

    A network without rows gets a gradient of zeros.
    """
    if any(isinstance(one, LoraLinear) for one in (networks[0].fc1, networks[0].fc2)):
        rows = dispatch_tokens(x, dispatch)
        inner = map_rows(rows, [one.fc1 for one in networks], dispatch)
        return combine_outputs(map_rows(F.gelu(inner), [one.fc2 for one in networks], dispatch), weights, dispatch)
    linear = [one.fc1 for one in networks], [one.fc2 for one in networks]
    parameters = [parameter for maps in linear for parameter in [*(m.weight for m in maps), *(m.bias for m in maps)]]
    return _GroupedFeedForwards.apply(x, weights, dispatch, *parameters)


class _GroupedFeedForwards(torch.autograd.Function):
    """The layer from tokens to tokens, since a GPU computes it faster than autograd could record its parts."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weights: Tensor, dispatch: Dispatch, *parameters: Tensor) -> Tensor:
        w1, b1, w2, b2 = _stacked(parameters, x.dtype, dispatch.columns)
        # biases by a matrix product with ones and zeros: one pass over the rows, and their gradient one as well
        owners = dispatch.one_hot(x.dtype)
        rows = dispatch.to_modules(x)
        inner = torch._grouped_mm(rows, w1.transpose(1, 2), offs=dispatch.ends).addmm_(owners, b1)
        active = F.gelu(inner)
        y = torch._grouped_mm(active, w2.transpose(1, 2), offs=dispatch.ends).addmm_(owners, b2)
        ctx.dispatch, ctx.dtype = dispatch, parameters[0].dtype
        ctx.save_for_backward(weights, w1, w2, rows, inner, active, y)
        return dispatch.combine(y, weights)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        weights, w1, w2, rows, inner, active, y = ctx.saved_tensors
        dispatch: Dispatch = ctx.dispatch
        grad_y, grad_weights = dispatch.combine_backward(grad, y, weights, ctx.needs_input_grad[1])
        grad_inner = torch.ops.aten.gelu_backward(torch._grouped_mm(grad_y, w2, offs=dispatch.ends), inner)
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = dispatch.to_modules_backward(torch._grouped_mm(grad_inner, w1, offs=dispatch.ends))
        if not any(ctx.needs_input_grad[3:]):  # frozen: half of the backward pass
            return grad_x, grad_weights, *[None] * (len(ctx.needs_input_grad) - 2)
        stacks = [
            torch._grouped_mm(grad_inner.t(), rows, offs=dispatch.ends),
            dispatch.sum_rows(grad_inner),
            torch._grouped_mm(grad_y.t(), active, offs=dispatch.ends),
            dispatch.sum_rows(grad_y),
        ]
        return grad_x, grad_weights, None, *_unstacked(stacks, ctx.dtype)


def _stacked(parameters: Sequence[Tensor], dtype: torch.dtype, columns: int) -> list[Tensor]:
    """The parameters of each part as one tensor [E, …], cast and copied in one pass.

    Biases get rows of zeros up to the ``columns`` of ``Dispatch.one_hot``.
    """
    networks = len(parameters) // _PARTS
    w1, b1, w2, b2 = (parameters[i : i + networks] for i in range(0, len(parameters), networks))
    biases = [one[0].new_zeros((columns, *one[0].shape), dtype=dtype) for one in (b1, b2)]
    torch._foreach_copy_([one for stack in biases for one in stack[:networks].unbind()], [*b1, *b2])
    first, second = (_stack(one, dtype) for one in (w1, w2))
    return [first, biases[0], second, biases[1]]


def _stack(parts: Sequence[Tensor], dtype: torch.dtype) -> Tensor:
    """The parts, of one shape, as one tensor [E, …]; where they lie so in memory already, nothing is copied."""
    first, size = parts[0], parts[0].numel()
    bytes_apart = size * first.element_size()
    if first.dtype == dtype and all(
        one.is_contiguous() and one.data_ptr() == first.data_ptr() + index * bytes_apart
        for index, one in enumerate(parts)
    ):
        return first.as_strided((len(parts), *first.shape), (size, *first.stride()))
    stack = first.new_empty((len(parts), *first.shape), dtype=dtype)
    torch._foreach_copy_(list(stack.unbind()), list(parts))
    return stack


def _unstacked(stacks: Sequence[Tensor], dtype: torch.dtype) -> list[Tensor]:
    """Back to one tensor for each parameter, in the parameters' type."""
    parts = [one for stack in stacks for one in stack.unbind()]
    if parts[0].dtype == dtype:
        return parts
    casts = [one for stack in stacks for one in torch.empty_like(stack, dtype=dtype).unbind()]
    torch._foreach_copy_(casts, parts)
    return casts
