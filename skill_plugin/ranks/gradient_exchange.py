"""The gradients of several ranks become their mean, once an update, for the parameters that some rank used.

Where most parameters belong to skills and heads that few batches use, what nobody used is neither sent nor filled with
zeros: it stays without a gradient, and the optimizer leaves it alone. The exchange comes after the last backward pass
and so overlaps with nothing, but it is a few large messages (BERT base takes 1.5 ms between two GPUs with NVLink); what
``DistributedDataParallel`` does for each parameter in each backward pass, to find out what was used, costs more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress

import torch
import torch.distributed as dist
from torch import Tensor
from torch._utils import _unflatten_dense_tensors
from torch.nn import Parameter

from skill_plugin.nn.element_parts import element_parts
from skill_plugin.ranks.host_group import host_group

PART = 1 << 25  # elements that are sent at a time, and held in memory beside the gradients meanwhile


class GradientExchange:
    """Averages gradients over ranks.

    Args:
        parameters: the same on every rank, in the same order.
        group: the ranks, over a backend for the parameters' device.

    Attributes:
        sent_as: type of what is sent; None for the gradients' own.
    """

    def __init__(self, parameters: Iterable[Parameter], group: dist.ProcessGroup) -> None:
        alike: dict[tuple[torch.dtype, torch.device], list[Parameter]] = {}
        for p in parameters:
            if p.requires_grad:
                alike.setdefault((p.dtype, p.device), []).append(p)
        self.sent_as: torch.dtype | None = None
        self._alike = list(alike.values())  # those of one type and device are sent together
        self._group, self._host_group = group, host_group(group)

    def average(self) -> None:
        """Replaces the gradient of each parameter by the mean over ranks.

        No gradient on some ranks counts as zeros there; no gradient on any rank stays none. Gradients that lie in one
        flat tensor without gaps, in the order of parameters, are averaged in place; others become views of a new one.
        """
        for used in self._used_somewhere():
            for part in element_parts(used, PART):
                self._average_part(part)

    def _used_somewhere(self) -> list[list[Parameter]]:
        """The parameters for which any rank has a gradient; the hosts know, so that no device is waited for."""
        here = [p.grad is not None for alike in self._alike for p in alike]
        used = torch.tensor(here, dtype=torch.uint8)
        dist.all_reduce(used, op=dist.ReduceOp.MAX, group=self._host_group)
        anywhere = iter(used.tolist())  # goes on where the parameters before have ended
        return [list(compress(alike, anywhere)) for alike in self._alike]

    def _average_part(self, part: list[Parameter]) -> None:
        dtype = part[0].dtype
        sent_as = self.sent_as or dtype
        length = sum(p.numel() for p in part)
        flat = _already_flat(part, length) if sent_as == dtype else None
        if flat is not None:
            self._average(flat)
            return
        flat = torch.empty(length, dtype=sent_as, device=part[0].device)
        pieces = _unflatten_dense_tensors(flat, part)
        _copy(part, pieces)
        self._average(flat)
        if sent_as != dtype:
            pieces = _unflatten_dense_tensors(flat.to(dtype), part)
        for p, mean in zip(part, pieces, strict=True):
            p.grad = mean

    def _average(self, flat: Tensor) -> None:
        if dist.get_backend(self._group) == "nccl":
            dist.all_reduce(flat, op=dist.ReduceOp.AVG, group=self._group)
        else:
            flat.div_(dist.get_world_size(self._group))  # before, so that sums of float16 do not overflow
            dist.all_reduce(flat, group=self._group)


def _already_flat(part: list[Parameter], length: int) -> Tensor | None:
    """The flat tensor [length] in which the gradients lie one after the other, or None."""
    first = part[0].grad
    if first is None:
        return None
    size, place = first.element_size(), first.data_ptr()
    if (first.storage_offset() + length) * size > first.untyped_storage().nbytes():
        return None
    for p in part:
        if p.grad is None or p.grad.data_ptr() != place or not p.grad.is_contiguous():
            return None
        place += p.numel() * size
    return first.as_strided((length,), (1,))


def _copy(part: list[Parameter], pieces: Sequence[Tensor]) -> None:
    """Writes the gradients to the pieces; zeros for one that there is not."""
    given = [p.grad is not None for p in part]
    if any(given):
        torch._foreach_copy_(list(compress(pieces, given)), [p.grad for p in part if p.grad is not None])
    if not all(given):
        torch._foreach_zero_([piece for piece, one in zip(pieces, given, strict=True) if not one])
