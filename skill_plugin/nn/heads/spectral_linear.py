"""The last map of a head, held to be 1-Lipschitz (R4F)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from skill_plugin.nn.linear import linear


def limit_spectral_norm(weight: Tensor) -> Tensor:
    """weight / max(1, s), where s is its largest singular value: [C, D] -> [C, D] in its own type.

    s is computed anew from the weight, in float64: nothing is estimated step by step, so that there is no state that
    could be lost with a checkpoint or differ between ranks, and no value above 1 but by the rounding of the result.
    """
    exact = weight.double()
    norm: Tensor = torch.linalg.matrix_norm(exact, ord=2)
    return (exact / norm.clamp(min=1.0)).to(weight.dtype)


class SpectralLinear(nn.Linear):
    """x W^T / max(1, s) + b: no input moves the output further than it moved itself (R4F: Lip{g} <= 1).

    Spectral normalisation as published divides by s always, which would also stretch a small map; here a map within
    the constraint is left as it is. ``weight`` holds W; it has the name that it has in ``nn.Linear``.
    """

    def effective_weight(self) -> Tensor:
        """The matrix that is applied [C, D]."""
        return limit_spectral_norm(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """[U, D] -> [U, C]"""
        return linear(input, self.effective_weight(), self.bias)
