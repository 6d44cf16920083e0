"""The losses of units that have one class each."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor


def classification_losses(logits: Tensor, classes: Tensor) -> Tensor:
    """Cross-entropy of each unit: logits [U, C], classes [U] int64 -> [U], float32 whatever the logits are."""
    return F.cross_entropy(logits.float(), classes, reduction="none")
