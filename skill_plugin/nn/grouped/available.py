"""Where grouped matrix products are faster than one module after the other."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def has_grouped_product(module: nn.Module, x: Tensor) -> bool:
    """Whether ``torch._grouped_mm`` is fast here: bfloat16 on Hopper, rows of all matrices in multiples of 16 bytes.

    Args:
        module: one of those that would run; its linear maps count.
        x: what they would read [N, D], in the type in which they would compute.
    """
    if not x.is_cuda or x.dtype != torch.bfloat16 or not hasattr(torch, "_grouped_mm"):
        return False
    maps = [one for one in module.modules() if isinstance(one, nn.Linear)]
    aligned = all(size % 8 == 0 for one in maps for size in one.weight.shape)
    return aligned and torch.cuda.get_device_capability(x.device)[0] == 9
