"""Runs each expert once, on its run of the sorted rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from skill_plugin.nn.experts.dispatch import Dispatch
from skill_plugin.nn.feed_forward import FeedForward


def run_experts(experts: Sequence[FeedForward], rows: Tensor, dispatch: Dispatch) -> Tensor:
    """Outputs of the rows' experts: rows [M, D] in the order of ``dispatch`` -> [M, D].

    In bfloat16 on Hopper two grouped matrix products do all experts, and nothing waits for the device; an expert
    without rows gets a gradient of zeros. Elsewhere each expert takes a contiguous slice; one without rows is not run
    and gets no gradient.
    """
    if _has_grouped_product(experts[0], rows):
        return _grouped(experts, rows, dispatch)
    slices = zip(experts, rows.split(dispatch.sizes()), strict=True)
    outputs = [expert(part) for expert, part in slices if len(part)]
    return torch.cat(outputs) if len(outputs) > 1 else outputs[0]


def _has_grouped_product(expert: FeedForward, rows: Tensor) -> bool:
    """Whether ``torch._grouped_mm`` takes it: bfloat16 on Hopper, rows of all matrices in multiples of 16 bytes."""
    if not rows.is_cuda or rows.dtype != torch.bfloat16 or not hasattr(torch, "_grouped_mm"):
        return False
    aligned = all(size % 8 == 0 for size in expert.fc1.weight.shape)
    return aligned and torch.cuda.get_device_capability(rows.device)[0] == 9


def _grouped(experts: Sequence[FeedForward], rows: Tensor, dispatch: Dispatch) -> Tensor:
    w1, b1 = (_stack([getattr(expert.fc1, name) for expert in experts], rows) for name in ("weight", "bias"))
    w2, b2 = (_stack([getattr(expert.fc2, name) for expert in experts], rows) for name in ("weight", "bias"))
    # biases by a matrix product with ones and zeros [M, E]: one pass over the rows, and their gradient one as well
    numbers = torch.arange(len(experts), device=rows.device, dtype=dispatch.experts.dtype)
    owners = (dispatch.experts.unsqueeze(1) == numbers).to(rows.dtype)
    inner = torch._grouped_mm(rows, w1.transpose(1, 2), offs=dispatch.ends).addmm_(owners, b1)
    return torch._grouped_mm(F.gelu(inner), w2.transpose(1, 2), offs=dispatch.ends).addmm_(owners, b2)


def _stack(parameters: Sequence[Tensor], like: Tensor) -> Tensor:
    """E parameters of one shape [...] -> [E, ...] in the type of ``like``."""
    return _Stack.apply(like.dtype, *parameters)  # type: ignore[no-untyped-call, no-any-return]


class _Stack(torch.autograd.Function):
    """Cast and stacked in one pass, and back in one."""

    @staticmethod
    def forward(ctx: Any, dtype: torch.dtype, *parameters: Tensor) -> Tensor:
        ctx.dtype = parameters[0].dtype
        out = torch.empty((len(parameters), *parameters[0].shape), dtype=dtype, device=parameters[0].device)
        torch._foreach_copy_(list(out.unbind()), list(parameters))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        parts = list(grad.unbind())
        if grad.dtype == ctx.dtype:
            return None, *parts
        grads = [torch.empty_like(part, dtype=ctx.dtype) for part in parts]
        torch._foreach_copy_(grads, parts)
        return None, *grads
