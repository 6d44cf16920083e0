"""The losses of units that may have any number of labels."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor


def multilabel_losses(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean binary cross-entropy of a unit's labels: logits [U, C], labels [U, C] of 0 and 1 -> [U], float32."""
    return F.binary_cross_entropy_with_logits(logits.float(), labels.float(), reduction="none").mean(1)
