"""The gradients of several ranks become their mean, once an update, for the parameters that some rank used.

Where most parameters belong to skills and heads that few batches use, what nobody used is neither sent nor filled with
zeros: it stays without a gradient, and the optimizer leaves it alone. The exchange comes after the last backward pass
and so overlaps with nothing, but it is a few large messages (BERT base takes 1.5 ms between two GPUs with NVLink); what
``DistributedDataParallel`` does for each parameter in each backward pass, to find out what was used, costs more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
import torch.distributed as dist
from torch import Tensor
from torch.nn import Parameter

from skill_plugin.ranks.host_group import host_group

ALIGNMENT = 32  # elements: each gradient begins at a multiple, so that kernels may read it in vectors
PART = 1 << 25  # elements that are sent at a time, and held in memory beside the gradients meanwhile


def lay_out(sizes: Iterable[int]) -> tuple[list[int], int]:
    """Where gradients of these numbers of elements begin in the flat tensor that is sent, and its length."""
    starts, end = [], 0
    for size in sizes:
        starts.append(-(-end // ALIGNMENT) * ALIGNMENT)
        end = starts[-1] + size
    return starts, end


class GradientExchange:
    """Averages gradients over ranks.

    Args:
        parameters: the same on every rank, in the same order.
        group: the ranks, over a backend for the parameters' device.

    Attributes:
        sent_as: type of what is sent; None for the gradients' own.
    """

    def __init__(self, parameters: Iterable[Parameter], group: dist.ProcessGroup) -> None:
        self.parameters = [p for p in parameters if p.requires_grad]
        self.sent_as: torch.dtype | None = None
        self._group, self._host_group = group, host_group(group)

    def average(self) -> None:
        """Replaces the gradient of each parameter by the mean over ranks.

        No gradient on some ranks counts as zeros there; no gradient on any rank stays none. Gradients that lie in one
        flat tensor as ``lay_out`` says are averaged in place; others become views of a new one.
        """
        for part in _parts(self._used_somewhere()):
            starts, length = lay_out(p.numel() for p in part)
            sent_as = self.sent_as or part[0].dtype
            flat = _laid_out(part, starts, length) if sent_as == part[0].dtype else None
            if flat is not None:
                self._average(flat)
                continue
            flat = _copied(part, starts, length, sent_as)
            self._average(flat)
            flat = flat.to(part[0].dtype)
            for p, start in zip(part, starts, strict=True):
                p.grad = flat[start : start + p.numel()].view_as(p)

    def _used_somewhere(self) -> list[Parameter]:
        """The parameters for which any rank has a gradient; the hosts know, so that no device is waited for."""
        used = torch.tensor([p.grad is not None for p in self.parameters], dtype=torch.uint8)
        dist.all_reduce(used, op=dist.ReduceOp.MAX, group=self._host_group)
        return [p for p, one in zip(self.parameters, used.tolist(), strict=True) if one]

    def _average(self, flat: Tensor) -> None:
        if dist.get_backend(self._group) == "nccl":
            dist.all_reduce(flat, op=dist.ReduceOp.AVG, group=self._group)
        else:
            flat.div_(dist.get_world_size(self._group))  # before, so that sums of float16 do not overflow
            dist.all_reduce(flat, group=self._group)


def _parts(parameters: list[Parameter]) -> Iterator[list[Parameter]]:
    """Parameters of one type and device, in order, of ``PART`` elements at most or alone."""
    alike: dict[tuple[torch.dtype, torch.device], list[Parameter]] = {}
    for p in parameters:
        alike.setdefault((p.dtype, p.device), []).append(p)
    for group in alike.values():
        part: list[Parameter] = []
        size = 0
        for p in group:
            if part and size + p.numel() > PART:
                yield part
                part, size = [], 0
            part.append(p)
            size += p.numel()
        yield part


def _laid_out(part: list[Parameter], starts: list[int], length: int) -> Tensor | None:
    """The flat tensor [length] in which the gradients lie already, or None."""
    first = part[0].grad
    if first is None:
        return None
    storage, begin = first.untyped_storage().data_ptr(), first.storage_offset()
    for p, start in zip(part, starts, strict=True):
        grad = p.grad
        if (
            grad is None
            or not grad.is_contiguous()
            or grad.storage_offset() != begin + start
            or grad.untyped_storage().data_ptr() != storage
        ):
            return None
    return first.as_strided((length,), (1,))


def _copied(part: list[Parameter], starts: list[int], length: int, dtype: torch.dtype) -> Tensor:
    """A new flat tensor [length] of the gradients; zeros for one that there is not."""
    flat = torch.empty(length, dtype=dtype, device=part[0].device)
    pieces = [flat[start : start + p.numel()].view_as(p) for p, start in zip(part, starts, strict=True)]
    given = [(piece, p.grad) for piece, p in zip(pieces, part, strict=True) if p.grad is not None]
    missing = [piece for piece, p in zip(pieces, part, strict=True) if p.grad is None]
    if given:
        torch._foreach_copy_([piece for piece, _ in given], [grad for _, grad in given])
    if missing:
        torch._foreach_zero_(missing)
    return flat
