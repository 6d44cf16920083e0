"""Linear maps, by the library that is the faster one on this processor."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from skill_plugin.nn.compute_dtype import compute_dtype


class Linear(nn.Linear):
    """torch's, by ``linear``."""

    def forward(self, input: Tensor) -> Tensor:
        """[…, I] -> […, O]"""
        return linear(input, self.weight, self.bias)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x W^T + b, as torch has it, or by oneDNN where that is faster.

    Args:
        x: […, I].
        weight: W [O, I].
        bias: b [O].

    Returns:
        […, O]; both libraries round float32 in their own order of adding up.
    """
    if not (takes_onednn(x, weight) and onednn_is_faster()):
        return F.linear(x, weight, bias)
    return _OneDnnLinear.apply(x, weight, bias)


def takes_onednn(x: Tensor, weight: Tensor) -> bool:
    """Whether both are float32 on a CPU, and to be multiplied as such."""
    return x.device.type == "cpu" and weight.dtype == compute_dtype(x) == x.dtype == torch.float32


@cache
def onednn_is_faster() -> bool:
    """Whether the processor is AMD's and has registers of 512 bits: MKL, by which torch multiplies, takes two to three
    times as long there as oneDNN."""
    there = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    wide = torch.backends.cpu.get_cpu_capability() == "AVX512"
    return there and wide and torch.backends.mkl.is_available() and _made_by_amd()


def _made_by_amd() -> bool:
    try:
        return "AuthenticAMD" in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:  # not Linux
        return False


class _OneDnnLinear(torch.autograd.Function):
    """torch has a gradient only for its own products."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return _product(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        rows, grad_rows = x.reshape(-1, x.shape[-1]), grad.reshape(-1, grad.shape[-1])
        return (
            _product(grad, weight.t(), None) if of_x else None,
            _product(grad_rows.t(), rows.t(), None) if of_weight else None,
            grad_rows.sum(0) if of_bias else None,
        )


def _product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x W^T + b by oneDNN."""
    if not x.shape[-1]:  # which it refuses
        return F.linear(x, weight, bias)
    return torch.ops.mkldnn._linear_pointwise.default(x, weight, bias, "none", [], "")
