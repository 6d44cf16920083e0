"""The GPUs that a command may use."""

from __future__ import annotations

import os


def visible_gpus() -> list[str]:
    """Their names, as ``CUDA_VISIBLE_DEVICES`` has them; none where torch finds none."""
    import torch

    number = torch.cuda.device_count()
    named = [name.strip() for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name.strip()]
    return named[:number] if len(named) >= number else [str(index) for index in range(number)]
