"""What makes losses over different numbers of classes comparable."""

from __future__ import annotations

import math

LOSS_SCALINGS = ("none", "log-classes")


def loss_scale(scaling: str, classes: int) -> float:
    """1 / log C for ``log-classes`` (SkillNet-X, equation 8), 1 for ``none``.

    Args:
        scaling: one of ``LOSS_SCALINGS``.
        classes: C, at least 2 (a classification into one class has no loss to scale).

    Raises:
        ValueError: an unknown scaling.
    """
    if scaling not in LOSS_SCALINGS:
        raise ValueError(f"unknown loss scaling {scaling!r}, expected one of: {', '.join(LOSS_SCALINGS)}")
    return 1.0 / math.log(classes) if scaling == "log-classes" and classes > 1 else 1.0
