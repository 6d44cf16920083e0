"""What optimizers remember of half-precision parameters stays float32."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import torch

from skill_plugin.optim.guarded import HALF


def take_float32(optimizer: torch.optim.Optimizer, saved: Mapping[str, Any]) -> None:
    """Takes the moments of half-precision parameters from a saved state, which torch rounds where it loads it."""
    saved_order = chain.from_iterable(group["params"] for group in saved["param_groups"])
    own_order = chain.from_iterable(group["params"] for group in optimizer.param_groups)
    for index, parameter in zip(saved_order, own_order, strict=True):
        if parameter.dtype in HALF:
            for name, value in saved["state"].get(index, {}).items():
                if name != "step":  # which torch keeps as it is
                    optimizer.state[parameter][name] = value.to(parameter.device, torch.float32, copy=True)
