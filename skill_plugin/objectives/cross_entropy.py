"""The loss of a segment that classifies."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor


def cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean over the units, in float32 whatever the logits are: logits [U, C], targets [U] -> scalar (natural log)."""
    return F.cross_entropy(logits.float(), targets)
