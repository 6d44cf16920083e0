"""Linear maps, by the library that is the faster one on this processor."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from skill_plugin.nn.compute_dtype import compute_dtype

LEAST = 2_000_000  # products, below which what a call costs is more than what it saves


class Linear(nn.Linear):
    """torch's, by ``linear``."""

    def forward(self, input: Tensor) -> Tensor:
        """[…, I] -> […, O]"""
        return linear(input, self.weight, self.bias)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x W^T + b, as torch has it, or by oneDNN where that is faster and no gradient is asked for (it has none).

    Args:
        x: […, I].
        weight: W [O, I].
        bias: b [O].

    Returns:
        […, O]; both libraries round float32 in their own order of adding up.
    """
    if torch.is_grad_enabled() or not (takes_onednn(x, weight) and onednn_is_faster()):
        return F.linear(x, weight, bias)
    return torch.ops.mkldnn._linear_pointwise.default(x, weight, bias, "none", [], "")


def takes_onednn(x: Tensor, weight: Tensor) -> bool:
    """Whether both are float32 on a CPU, to be multiplied as such, and large enough."""
    if x.device.type != "cpu" or x.numel() * len(weight) < LEAST:
        return False
    return weight.dtype == compute_dtype(x) == x.dtype == torch.float32


@cache
def onednn_is_faster() -> bool:
    """Whether MKL, by which torch multiplies, leaves the registers of 512 bits unused, which it does on AMD's
    processors: there oneDNN is two to three times as fast."""
    there = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    wide = torch.backends.cpu.get_cpu_capability() == "AVX512"
    return there and wide and torch.backends.mkl.is_available() and _made_by_amd()


def _made_by_amd() -> bool:
    try:
        return "AuthenticAMD" in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:  # not Linux
        return False
