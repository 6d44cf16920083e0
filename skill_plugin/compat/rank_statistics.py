"""Ranks add up what they log, and go on, without waiting for their GPUs.

Fault: fairseq 0.12.3 moves every number that is logged to the GPU to be added up (``distributed/utils.py:
all_reduce_dict``), where whoever reads it waits for the GPU, and compares the norms of gradients of all ranks in each
update (``trainer.py: _check_grad_norms``), which waits for it three times. Norms of gradients that were added up are
those of the same sums; on CPU fairseq does not compare them either.

No longer needed: when an update of two ranks with ``--device-id`` waits for the GPU as often as one of one rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fairseq.distributed import utils as distributed_utils
from fairseq.trainer import Trainer

from skill_plugin.compat.patching import wrap
from skill_plugin.ranks.sums import sum_over_ranks


def all_reduce_dict(original: Callable[..., Any], data: Mapping[str, Any], device: Any, group: Any) -> dict[str, Any]:
    """Sums over ranks; what is on the host stays there."""
    return sum_over_ranks(data, group)


def _check_grad_norms(original: Callable[..., None], self: Any, grad_norm: Any) -> None:
    """Nothing."""


def install() -> None:
    """Patches ``all_reduce_dict`` and ``Trainer._check_grad_norms``."""
    wrap(distributed_utils, "all_reduce_dict", all_reduce_dict)
    wrap(Trainer, "_check_grad_norms", _check_grad_norms)
