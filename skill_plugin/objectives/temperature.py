"""The temperature under which probabilities are the likeliest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from torch import Tensor

from skill_plugin.objectives.family import Family
from skill_plugin.objectives.loss_scaling import segment_loss

LEAST, MOST = 0.05, 20.0


def fit_temperature(family: Family, outputs: Tensor, target: Mapping[str, Tensor]) -> float:
    """What logits must be divided by for the smallest mean loss (Guo et al., 2017, section 4.2).

    The loss is convex in its reciprocal, so that there is one minimum; where every answer is right it has none, and the
    temperature is one below 1 at which float32 knows no loss any more.

    Args:
        family: of answers that are choices between labels.
        outputs: logits of all units [U, C], on the CPU.
        target: what is right.

    Returns:
        From ``LEAST`` to ``MOST``; whether it is one of them says ``reached_bound``.
    """
    from scipy.optimize import minimize_scalar

    def loss(logarithm: float) -> float:
        return float(segment_loss(family.losses(outputs / math.exp(logarithm), target), "none"))

    bounds = (math.log(LEAST), math.log(MOST))
    return math.exp(float(minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-4}).x))


def reached_bound(temperature: float) -> Literal["least", "greatest"] | None:
    """Which bound of the search a temperature is, beyond which the loss may be smaller still; None for neither."""
    if math.isclose(temperature, LEAST, rel_tol=1e-3):
        return "least"
    return "greatest" if math.isclose(temperature, MOST, rel_tol=1e-3) else None
