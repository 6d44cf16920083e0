"""A model that is trained on several ranks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook

from skill_plugin.ranks.gradient_exchange import GradientExchange


class DataParallel(nn.Module):
    """All ranks begin with rank 0's model, and ``all_reduce_grads`` after the last backward pass averages gradients.

    Backward passes send nothing, so that those of several batches add up without further ado.

    Args:
        module: the model, on its device.
        process_group: the ranks.
        broadcast_buffers: each pass of training begins with rank 0's buffers.
        unused: what torch's and fairseq's modules of this purpose take beside.
    """

    def __init__(
        self, module: nn.Module, process_group: dist.ProcessGroup, broadcast_buffers: bool = False, **unused: Any
    ) -> None:
        super().__init__()
        self.module = module
        self._group = process_group
        self._broadcasts = broadcast_buffers
        self._exchange = GradientExchange(module.parameters(), process_group)
        self._broadcast(chain(module.parameters(), module.buffers()))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The model's."""
        if self._broadcasts and self.training:
            self._broadcast(self.module.buffers())
        return self.module(*args, **kwargs)

    def all_reduce_grads(self) -> None:
        """Replaces gradients by their mean over ranks."""
        self._exchange.average()

    def register_comm_hook(self, state: object, hook: Callable[..., Any]) -> None:
        """For ``--ddp-comm-hook fp16``, which sends gradients as float16."""
        assert hook is fp16_compress_hook
        self._exchange.sent_as = torch.float16

    @torch.no_grad()
    def _broadcast(self, tensors: Any) -> None:
        source = dist.get_global_rank(self._group, 0)
        for tensor in tensors:
            dist.broadcast(tensor.detach(), source, self._group)
