"""An fp16 run on CPU that meets its first overflow.

Fault: fairseq 0.12.3 (``trainer.py: train_step``) answers an overflow of scaled gradients with
``torch.tensor(0.0).cuda()``, which raises on a machine without GPU: ``--fp16 --fp16-no-flatten-grads --cpu`` dies at
the first overflow instead of lowering the loss scale.

No longer needed: when such a run goes on without ``install()``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairseq.logging import metrics
from fairseq.trainer import Trainer

from skill_plugin.compat.patching import wrap


def train_step(original: Callable[..., Any], self: Any, samples: Any, raise_oom: bool = False) -> Any:
    """fairseq's ``train_step``; what follows its crash is what it would have done next."""
    try:
        return original(self, samples, raise_oom)
    except (AssertionError, RuntimeError) as error:
        if self.device.type != "cpu" or not isinstance(error.__context__, OverflowError):
            raise
    self.zero_grad()
    with metrics.aggregate("train"):
        metrics.log_scalar("loss_scale", self.optimizer.scaler.loss_scale, priority=700, round=4, weight=0)
        metrics.log_stop_time("train_wall")
    return None


def install() -> None:
    """Patches ``Trainer.train_step``."""
    wrap(Trainer, "train_step", train_step)
