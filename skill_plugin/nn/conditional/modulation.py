"""γ(z) and β(z): how a task embedding scales and shifts features."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

SPREAD = 0.001  # of γ(z) around 1 and of β(z) around 0 in a fresh module, for z from N(0, 1)


class Modulation(nn.Module):
    """γ(z) = 1 + U_γ V z + b_γ and β(z) = U_β V z + b_β, feature-wise linear modulation of F features (section 3.3.1).

    The thesis names γ and β functions of R^d and says no more. Two matrices for each, D x F, as in its published code,
    would hold more than table 3.2 counts. Here both go through R = D / 4 dimensions: T corpora have T embeddings, whose
    images span T dimensions at most, so that nothing is lost up to R corpora.

    Args:
        width: D of the task embeddings.
        features: F.
    """

    def __init__(self, width: int, features: int) -> None:
        super().__init__()
        rank = max(1, width // 4)
        self.down = nn.Parameter(torch.empty(rank, width))
        self.up = nn.Parameter(torch.empty(2 * features, rank))
        self.bias = nn.Parameter(torch.zeros(2 * features))
        nn.init.normal_(self.down, std=width**-0.5)
        nn.init.normal_(self.up, std=SPREAD * rank**-0.5)

    def forward(self, z: Tensor) -> tuple[Tensor, Tensor]:
        """[K, D] -> γ and β, each [K, F], float32 in every mode: half precision would round 1 + 0.001 to 1."""
        with torch.autocast(z.device.type, enabled=False):
            inner = F.linear(z.float(), self.down.float())
            scale, shift = F.linear(inner, self.up.float(), self.bias.float()).chunk(2, dim=-1)
        return 1 + scale, shift
