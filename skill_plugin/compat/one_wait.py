"""An update waits for the device once, when all of it has been launched.

Fault: fairseq 0.12.3 (``trainer.py: train_step, _reduce_and_log_stats``, ``meters.py``) looks at the
norm of gradients three times before and after the optimizer's step, and at every number that it logs by itself. Each
look waits until a GPU has done all that it was given, which then has nothing to do while the host goes on. In every
update it also evaluates all that a line of the log could say, for nobody.

Here all that is looked at comes to the host in one transfer after the optimizer's step was launched, for the tasks of
this plugin. An optimizer with ``skips_infinite`` changes nothing where the norm is not finite; with any other one the
norm is looked at before the step, as fairseq does. The transfer does not wait for the step itself.

No longer needed: when ``torch.cuda.set_sync_debug_mode("error")`` lets fairseq's ``train_step`` pass.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from fairseq.logging import metrics
from fairseq.trainer import Trainer
from torch import Tensor

from skill_plugin.compat.infinite_gradients import stop
from skill_plugin.compat.patching import wrap


@dataclass(frozen=True)
class Unseen:
    """What an update launched and nobody has looked at.

    Attributes:
        norm: the norm of the gradients.
        ready: when it is there, and all that is logged; None on CPU.
    """

    norm: Tensor
    ready: torch.cuda.Event | None


def clip_grad_norm(original: Callable[..., Any], self: Any, clip_norm: float) -> Any:
    """fairseq's; for an optimizer that skips infinite norms, a norm in place of the one that is not looked at yet."""
    norm = original(self, clip_norm)
    self._unseen = None
    if not (getattr(self.optimizer, "skips_infinite", False) and hasattr(self.task, "update_losses")):
        return norm
    self._unseen = Unseen(norm, torch.cuda.current_stream(norm.device).record_event() if norm.is_cuda else None)
    return torch.ones(())


def reduce_and_log_stats(
    original: Callable[..., Any], self: Any, logging_outputs: Any, sample_size: Any, grad_norm: Any = None
) -> Any:
    """fairseq's, of numbers on the host; what an update would show is not evaluated before it is shown.

    Raises:
        InputError: gradients are not finite.
    """
    if not hasattr(self.task, "update_losses"):
        return original(self, logging_outputs, sample_size, grad_norm)
    unseen = None if grad_norm is None else self._unseen
    logged = [value for output in logging_outputs for value in output.values() if isinstance(value, Tensor)]
    if unseen is None:
        seen = iter(to_host(logged))
    else:
        seen = iter(to_host([unseen.norm, *logged], unseen.ready))
        grad_norm = next(seen)
        if not torch.isfinite(grad_norm):
            raise stop(self, self.get_num_updates(), "gradients are not finite")
    outputs = [
        {key: next(seen) if isinstance(value, Tensor) else value for key, value in output.items()}
        for output in logging_outputs
    ]
    if grad_norm is None:
        return original(self, outputs, sample_size)
    metrics.log_speed("ups", 1.0, priority=100, round=2)
    metrics.log_scalar("gnorm", grad_norm, priority=400, round=3)
    if self.cfg.optimization.clip_norm > 0:
        metrics.log_scalar("clip", 100.0 * bool(grad_norm > self.cfg.optimization.clip_norm), priority=500, round=1)
    self.task.reduce_metrics(outputs, self.get_criterion())
    return {"sample_size": sample_size}  # anything but None: there was an update


def to_host(tensors: Sequence[Tensor], ready: torch.cuda.Event | None = None) -> list[Tensor]:
    """Tensors in their types and shapes on the CPU; those of a GPU in one transfer.

    Args:
        tensors: of any types and shapes, on the CPU or one GPU.
        ready: when they are there; what was launched on the GPU since is not waited for.
    """
    moved = [value for value in tensors if value.is_cuda]
    if not moved:
        return list(tensors)
    # ordered so that each begins at a multiple of its elements' size
    order = sorted(range(len(moved)), key=lambda i: -moved[i].element_size())
    stream = torch.cuda.current_stream(moved[0].device)
    if ready is not None:
        stream = _stream_beside(moved[0].device)
        stream.wait_event(ready)
    with torch.cuda.stream(stream):
        flat = torch.cat([moved[i].detach().reshape(-1).view(torch.uint8) for i in order]).cpu()
    parts = flat.split([moved[i].numel() * moved[i].element_size() for i in order])
    found = {i: part.view(moved[i].dtype).view(moved[i].shape) for i, part in zip(order, parts, strict=True)}
    there = iter(found[i] for i in range(len(moved)))
    return [next(there) if value.is_cuda else value for value in tensors]


@functools.cache
def _stream_beside(device: torch.device) -> torch.cuda.Stream:
    """A stream whose little work goes before that of the others."""
    return torch.cuda.Stream(device, priority=-1)


def install() -> None:
    """Patches ``Trainer``."""
    wrap(Trainer, "clip_grad_norm", clip_grad_norm)
    wrap(Trainer, "_reduce_and_log_stats", reduce_and_log_stats)
