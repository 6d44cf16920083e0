"""What makes losses over different numbers of classes comparable."""

from __future__ import annotations

import math

from torch import Tensor

from skill_plugin.objectives.unit_losses import UnitLosses

LOSS_SCALINGS = ("none", "log-classes")


def segment_loss(losses: UnitLosses, scaling: str) -> Tensor:
    """The mean over a segment's units of their losses, each / log C for ``log-classes`` (SkillNet-X, equation 8).

    A segment without units, such as a text too short to mask a piece of, gives 0, and gradients of 0.

    Args:
        losses: of its units; a unit with less than two classes has no choice to scale for, and stays as it is.
        scaling: one of ``LOSS_SCALINGS``; ``none`` gives the mean that logs show.

    Returns:
        A scalar, float32.

    Raises:
        ValueError: an unknown scaling.
    """
    if scaling not in LOSS_SCALINGS:
        raise ValueError(f"unknown loss scaling {scaling!r}, expected one of: {', '.join(LOSS_SCALINGS)}")
    values, classes = losses
    if scaling == "log-classes":
        if isinstance(classes, Tensor):
            values = values / classes.float().log().where(classes > 1, 1.0)
        elif classes is not None and classes > 1:
            values = values / math.log(classes)
    return values.mean() if len(values) else values.sum()
