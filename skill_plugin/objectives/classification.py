"""The losses of units that have one class each."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

IGNORED = -100  # in place of a class: there is nothing to learn


def classification_losses(logits: Tensor, classes: Tensor) -> Tensor:
    """Cross-entropy of each unit: logits [U, C], classes [U] int64 -> [U], float32 whatever the logits are.

    A unit of the class ``IGNORED`` gives 0, and gradients of 0.
    """
    return F.cross_entropy(logits.float(), classes, reduction="none", ignore_index=IGNORED)
