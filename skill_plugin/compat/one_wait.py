"""An update waits for the device once, when all of it has been launched.

Fault: fairseq 0.12.3 (``trainer.py: train_step, _reduce_and_log_stats``, ``meters.py``) looks at the
norm of gradients three times before and after the optimizer's step, and at every number that it logs by itself. Each
look waits until a GPU has done all that it was given, which then has nothing to do while the host goes on. In every
update it also evaluates all that a line of the log could say, for nobody.

Here all that is looked at comes to the host in one transfer after the optimizer's step was launched, for the tasks of
this plugin. An optimizer with ``skips_infinite`` changes nothing where the norm is not finite; with any other one the
norm is looked at before the step, as fairseq does. The transfer does not wait for the step itself, and the host not for
the transfer: it looks when the next update has been launched, or at once where a line is shown, the model is validated
or saved, or the epoch or the run ends. A run whose gradients are not finite so ends an update later; that one is not
saved.

No longer needed: when ``torch.cuda.set_sync_debug_mode("error")`` lets fairseq's ``train_step`` pass.
"""

from __future__ import annotations

import math
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
        ready: when it is there, and all that is logged; None on CPU, and where the norm was looked at already.
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


@dataclass(frozen=True)
class Unlogged:
    """An update of which nothing is logged yet.

    Attributes:
        update: its number, from 1.
        outputs: logging outputs.
        numbers: the norm of the gradients, and the tensors of the outputs.
    """

    update: int
    outputs: list[dict[str, Any]]
    numbers: OnTheWay


def reduce_and_log_stats(
    original: Callable[..., Any], self: Any, logging_outputs: Any, sample_size: Any, grad_norm: Any = None
) -> Any:
    """fairseq's, of numbers on the host; what an update would show is not evaluated before it is shown.

    Raises:
        InputError: gradients are not finite.
    """
    if not hasattr(self.task, "update_losses"):
        return original(self, logging_outputs, sample_size, grad_norm)
    logged = [value for output in logging_outputs for value in output.values() if isinstance(value, Tensor)]
    if grad_norm is None:
        return original(self, _filled(logging_outputs, OnTheWay(logged).arrived()), sample_size)
    unseen = self._unseen or Unseen(grad_norm, ready=None)
    update = Unlogged(self.get_num_updates(), list(logging_outputs), OnTheWay([unseen.norm, *logged], unseen.ready))
    log_earlier(self)
    if unseen.ready is None or is_looked_at(self):
        _log(self, update)
    else:
        self._unlogged = update
    return {"sample_size": sample_size}  # anything but None: there was an update


def log_earlier(trainer: Any) -> None:
    """Logs the update before, if it is not logged yet.

    Raises:
        InputError: its gradients are not finite.
    """
    earlier, trainer._unlogged = getattr(trainer, "_unlogged", None), None
    if earlier is not None:
        _log(trainer, earlier)


def is_looked_at(trainer: Any) -> bool:
    """Whether somebody may ask for the numbers of this update before the next one is launched."""
    if not hasattr(trainer, "_look_every"):
        cfg = trainer.cfg
        every = (cfg.common.log_interval, cfg.checkpoint.save_interval_updates, cfg.dataset.validate_interval_updates)
        trainer._look_every = [interval for interval in every if interval > 0]
        trainer._last_update = 0 if cfg.optimization.stop_time_hours > 0 else cfg.optimization.max_update or math.inf
    update = trainer.get_num_updates()
    return (
        update >= trainer._last_update
        or any(update % interval == 0 for interval in trainer._look_every)
        or trainer.task.epoch.plan.end_of_epoch()
    )


def _log(trainer: Any, unlogged: Unlogged) -> None:
    grad_norm, *logged = unlogged.numbers.arrived()
    if not torch.isfinite(grad_norm):
        raise stop(trainer, unlogged.update, "gradients are not finite")
    metrics.log_speed("ups", 1.0, priority=100, round=2)
    metrics.log_scalar("gnorm", grad_norm, priority=400, round=3)
    if trainer.cfg.optimization.clip_norm > 0:
        clipped = bool(grad_norm > trainer.cfg.optimization.clip_norm)
        metrics.log_scalar("clip", 100.0 * clipped, priority=500, round=1)
    outputs = _filled(unlogged.outputs, logged)
    trainer.task.reduce_metrics(outputs, trainer.get_criterion())
    trainer.task.log_update(unlogged.update, outputs)


def _filled(outputs: Sequence[dict[str, Any]], numbers: Sequence[Tensor]) -> list[dict[str, Any]]:
    """Logging outputs with numbers of the host in place of their tensors, in order."""
    seen = iter(numbers)
    return [
        {key: next(seen) if isinstance(value, Tensor) else value for key, value in output.items()} for output in outputs
    ]


class OnTheWay:
    """Tensors that come to the CPU in their types and shapes; those of a GPU in one transfer, which nothing waits for.

    Args:
        tensors: of any types and shapes, on the CPU or one GPU.
        ready: when they are there; what was launched on the GPU since is not waited for.
    """

    def __init__(self, tensors: Sequence[Tensor], ready: torch.cuda.Event | None = None) -> None:
        self._tensors = list(tensors)
        moved = [value for value in tensors if value.is_cuda]
        # ordered so that each begins at a multiple of its elements' size
        self._order = sorted(range(len(moved)), key=lambda i: -moved[i].element_size())
        self._moved = [moved[i] for i in self._order]
        if not moved:
            return
        stream = torch.cuda.current_stream(moved[0].device)
        if ready is not None:
            stream = torch.cuda.Stream(moved[0].device, priority=-1)
            stream.wait_event(ready)
        with torch.cuda.stream(stream):
            flat = torch.cat([value.detach().reshape(-1).view(torch.uint8) for value in self._moved])
            self._flat = torch.empty(flat.shape, dtype=flat.dtype, pin_memory=True).copy_(flat, non_blocking=True)
            self._there = stream.record_event()

    def arrived(self) -> list[Tensor]:
        """The tensors on the CPU; waits for them."""
        if not self._moved:
            return self._tensors
        self._there.synchronize()
        parts = self._flat.split([value.numel() * value.element_size() for value in self._moved])
        found = {
            i: part.view(value.dtype).view(value.shape)
            for i, value, part in zip(self._order, self._moved, parts, strict=True)
        }
        there = iter(found[i] for i in range(len(self._moved)))
        return [next(there) if value.is_cuda else value for value in self._tensors]


def install() -> None:
    """Patches ``Trainer``."""
    wrap(Trainer, "clip_grad_norm", clip_grad_norm)
    wrap(Trainer, "_reduce_and_log_stats", reduce_and_log_stats)
