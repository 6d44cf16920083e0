"""Numbers of the host on a device, without waiting for it."""

from __future__ import annotations

import torch
from torch import Tensor


def on_device(values: Tensor, device: torch.device) -> Tensor:
    """A tensor of the CPU on a device; a GPU gets it in the order of its other work, and is not waited for."""
    if device.type != "cuda":
        return values.to(device)
    return values.pin_memory().to(device, non_blocking=True)
