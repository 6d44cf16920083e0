"""``--fp16 --fp16-no-flatten-grads``: what an update does not use costs nothing.

Fault: fairseq 0.12.3 (``optim/fp16_optimizer.py``) gives a parameter without gradient a float32 gradient of zeros, with
which the optimizer would move it, and copies all parameters back from float32 after each update.

No longer needed: when the float32 copy of a parameter without gradient has none either without ``install()``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from fairseq.optim.fp16_optimizer import _FP16OptimizerMixin

from skill_plugin.compat.patching import wrap


def _sync_fp16_grads_to_fp32(original: Callable[..., None], self: Any) -> None:
    """Copies of the gradients that there are."""
    if self.has_flat_params or not self._needs_sync:
        original(self)
        return
    for p, copy in zip(self.fp16_params, self.fp32_params, strict=True):
        copy.grad = None if p.grad is None else p.grad.float()
    self._needs_sync = False


def _sync_fp32_params_to_fp16(original: Callable[..., None], self: Any) -> None:
    """Copies back what was updated."""
    if self.has_flat_params:
        original(self)
        return
    used = [pair for pair in zip(self.fp16_params, self.fp32_params, strict=True) if pair[1].grad is not None]
    if used:
        with torch.no_grad():
            torch._foreach_copy_([p for p, _ in used], [copy for _, copy in used])


def zero_grad(original: Callable[..., None], self: Any) -> None:
    """Forgets the copies too."""
    if not self.has_flat_params:
        for copy in self.fp32_params:
            copy.grad = None
    original(self)


def install() -> None:
    """Patches what fairseq's optimizers with float32 copies have in common."""
    wrap(_FP16OptimizerMixin, "_sync_fp16_grads_to_fp32", _sync_fp16_grads_to_fp32)
    wrap(_FP16OptimizerMixin, "_sync_fp32_params_to_fp16", _sync_fp32_params_to_fp16)
    wrap(_FP16OptimizerMixin, "zero_grad", zero_grad)
