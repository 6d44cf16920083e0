"""What a run may use of this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """A machine.

    Attributes:
        gpus: how many there are.
        memory: of the smallest of them in bytes; None without one.
        bf16: whether all of them compute in bfloat16.
        cores: of the processor.
    """

    gpus: int
    memory: int | None
    bf16: bool
    cores: int


def this_machine() -> Machine:
    """As this process sees it (``CUDA_VISIBLE_DEVICES``, and cores that it is bound to)."""
    import torch

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not torch.cuda.is_available():
        return Machine(gpus=0, memory=None, bf16=False, cores=cores)
    found = [torch.cuda.get_device_properties(number) for number in range(torch.cuda.device_count())]
    # Ampere is the first with bfloat16 in hardware
    return Machine(len(found), min(one.total_memory for one in found), min(one.major for one in found) >= 8, cores)
