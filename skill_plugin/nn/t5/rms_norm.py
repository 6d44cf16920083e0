"""Normalisation by the root mean square, without a mean and without a bias."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class RmsNorm(nn.Module):
    """x / sqrt(mean(x²) + eps) · w, computed in float32.

    Args:
        width: D.
        eps: added to the mean square.
    """

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """[N, D] -> [N, D] in the type of x."""
        with torch.autocast(x.device.type, enabled=False):
            return F.rms_norm(x.float(), self.weight.shape, self.weight.float(), self.eps).to(x.dtype)
