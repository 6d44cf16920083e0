"""The losses of units that have a score each."""

from __future__ import annotations

from torch import Tensor


def regression_losses(outputs: Tensor, scores: Tensor) -> Tensor:
    """Squared error (MT-TaG, equation 10): outputs [U, 1], scores [U] -> [U], float32."""
    return (outputs.squeeze(1).float() - scores.float()).square()
