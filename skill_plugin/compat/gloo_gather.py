"""``all_gather_list`` between ranks on CPU.

Fault: fairseq 0.12.3 (``distributed/utils.py: all_gather_list``) gathers through a ``torch.cuda.ByteTensor``, so that
on CPU every criterion whose logging outputs are not summed, and ``fairseq-validate`` on several ranks, crash.

No longer needed: when ``all_gather_list`` gathers over gloo without ``install()``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.distributed as dist
from fairseq import utils
from fairseq.distributed import utils as distributed_utils

from skill_plugin.compat.patching import wrap


def all_gather_list(
    original: Callable[..., list[Any]], data: Any, group: Any = None, max_size: int = 16384
) -> list[Any]:
    """``data`` of every rank, in the order of ranks; over gloo of any size."""
    if group is None:
        group = distributed_utils.get_global_group()
    if not dist.is_initialized() or dist.get_backend(group) != "gloo":
        return original(data, group, max_size)
    gathered: list[Any] = [None] * distributed_utils.get_world_size(group)
    dist.all_gather_object(gathered, utils.move_to_cpu(data), group=group)
    return gathered


def install() -> None:
    """Patches ``fairseq.distributed.utils.all_gather_list``."""
    wrap(distributed_utils, "all_gather_list", all_gather_list)
