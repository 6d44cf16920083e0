"""Sums over ranks of numbers and tensors, in one collective for those on the host and one for those on the device."""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.distributed as dist
from torch import Tensor

from skill_plugin.ranks.host_group import host_group


def sum_over_ranks(values: Mapping[str, Tensor | float], group: dist.ProcessGroup) -> dict[str, Tensor | float]:
    """The sum of each value in float64. A number stays a number and a tensor where it was: no device is waited for.

    Args:
        values: under the same keys, of the same shapes and in the same places on every rank.
        group: the ranks; over nccl where some of the values are on GPUs.
    """
    tensors = {key: torch.as_tensor(value, dtype=torch.float64) for key, value in values.items()}
    sums: dict[str, Tensor] = {}
    for on_host, ranks in ((True, host_group(group)), (False, group)):
        here = {key: tensor for key, tensor in tensors.items() if (tensor.device.type == "cpu") == on_host}
        if here:
            flat = torch.cat([tensor.reshape(-1) for tensor in here.values()])
            dist.all_reduce(flat, group=ranks)
            pieces = flat.split([tensor.numel() for tensor in here.values()])
            sums.update({key: piece.view_as(here[key]) for key, piece in zip(here, pieces, strict=True)})
    return {key: sums[key] if isinstance(value, Tensor) else float(sums[key]) for key, value in values.items()}
