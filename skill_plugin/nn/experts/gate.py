"""What scores the experts for a token."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

STANDARD_DEVIATION = 0.001  # of fresh gates (MT-TaG, section 4.4)


class Gate(nn.Module):
    """l(x) = W_g x, without a bias (MT-TaG, equation 3).

    Args:
        width: D.
        experts: E.
        deviation: standard deviation of fresh weights; Shazeer et al. (2017, appendix A) begin at 0.
    """

    def __init__(self, width: int, experts: int, deviation: float = STANDARD_DEVIATION) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(experts, width))
        nn.init.normal_(self.weight, std=deviation)

    def forward(self, x: Tensor) -> Tensor:
        """Logits [n, E] of tokens [n, D]."""
        return gate_logits(x, self.weight)


def gate_logits(x: Tensor, weight: Tensor) -> Tensor:
    """x W_g^T [n, E], float32 in every mode: rounded logits would often choose another expert."""
    with torch.autocast(x.device.type, enabled=False):
        return F.linear(x.float(), weight.float())
