"""A run whose gradients are not finite ends in one line, which says at which update and on which corpora.

Fault: fairseq 0.12.3 (``trainer.py: train_step``) answers them with ``crash.pt``, a second pass that logs numbers of
every module, and a traceback; so it does where fp16's loss scale has reached its minimum.

A task says on what the update was by ``update_losses`` (``tasks.update_losses``).

No longer needed: when the run ends in one line without ``install()``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from fairseq.trainer import Trainer

from skill_plugin.compat.patching import wrap
from skill_plugin.errors import InputError

HINT = "a smaller --lr, a longer warm-up or --clip-norm may help"


def clip_grad_norm(original: Callable[..., Any], self: Any, clip_norm: float) -> Any:
    """fairseq's, the first to know; all ranks see the same norm, of gradients that were added up."""
    update = self.get_num_updates() + 1
    try:
        norm = original(self, clip_norm)
    except FloatingPointError:  # of fp16; an overflow before is an OverflowError, and part of the plan
        smallest = self.cfg.common.min_loss_scale
        raise stop(self, update, f"gradients overflow at the smallest loss scale, {smallest:g}") from None
    if not torch.isfinite(norm).all():
        raise stop(self, update, "gradients are not finite")
    return norm


def stop(trainer: Any, update: int, what: str) -> InputError:
    """The error with which a run ends.

    Args:
        trainer: fairseq's trainer.
        update: number of the update, from 1.
        what: what is wrong with it.
    """
    losses = getattr(trainer.task, "update_losses", None)
    of = "" if losses is None else f" (losses: {losses.line(update - 1)})"
    return InputError(f"update {update}: {what}{of}; {HINT}")


def install() -> None:
    """Patches ``Trainer.clip_grad_norm``."""
    wrap(Trainer, "clip_grad_norm", clip_grad_norm)
