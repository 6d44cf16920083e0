"""What makes losses over different numbers of classes comparable."""

from __future__ import annotations

import math

from torch import Tensor

from skill_plugin.objectives.family import UnitLosses

LOSS_SCALINGS = ("none", "log-classes")


def scaled_losses(losses: UnitLosses, scaling: str) -> Tensor:
    """The losses of units, each / log C for ``log-classes`` (SkillNet-X, equation 8).

    Args:
        losses: losses of units; that of a unit with fewer than two classes, which has no choice, stays as it is.
        scaling: one of ``LOSS_SCALINGS``; ``none`` gives what logs show.

    Returns:
        [U], float32.

    Raises:
        ValueError: an unknown scaling.
    """
    if scaling not in LOSS_SCALINGS:
        raise ValueError(f"unknown loss scaling {scaling!r}, expected one of: {', '.join(LOSS_SCALINGS)}")
    values, classes, _ = losses
    if scaling == "none" or classes is None:
        return values
    if isinstance(classes, Tensor):
        return values / classes.float().log().where(classes > 1, 1.0)
    return values / math.log(classes) if classes > 1 else values


def segment_loss(losses: UnitLosses, scaling: str) -> Tensor:
    """The mean over a segment's units, those that are known, of their scaled losses, a scalar.

    A segment without units, such as a text too short to mask a piece of, gives 0, and gradients of 0.

    Args:
        losses, scaling: as in ``scaled_losses``.
    """
    values = scaled_losses(losses, scaling)
    if losses.known is None:
        return values.mean() if len(values) else values.sum()
    return values.where(losses.known, 0.0).sum() / losses.known.sum().clamp(min=1)
