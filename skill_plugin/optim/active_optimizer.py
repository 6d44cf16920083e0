"""What ``skill_adam`` and ``adafactor`` have in common: what took no part in an update neither moves nor costs.

Optimizers move a parameter, or what they remember of it, whenever they see a gradient, zeros included. An inactive
skill has no gradient at all, but the float32 copies of ``--fp16`` have one of zeros, and so have experts without tokens
in grouped products. Here a gradient that is zero everywhere, after the ranks' gradients were added up, counts as none:
the parameter, its moments and its step count stay as they were, bit by bit. The ranks see the same sum and so agree.
Looking for zeros waits for the device, so that who knows where there can be any says so: there the device decides by
itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import torch
from fairseq.optim import FairseqOptimizer
from torch import Tensor

from skill_plugin.optim.guarded import HALF, Guarded
from skill_plugin.optim.torch_optimizer import TorchOptimizer


@dataclass(frozen=True)
class _Measured:
    """Norms of gradients, and what they were taken of: a gradient written since has another version."""

    grads: list[Tensor]
    versions: list[int]
    norms: Tensor  # [len(grads)], float32

    def hold_for(self, grads: list[Tensor]) -> bool:
        return len(grads) == len(self.grads) and all(
            new is old and new._version == version
            for new, old, version in zip(grads, self.grads, self.versions, strict=True)
        )


class ActiveOptimizer(FairseqOptimizer, ABC):
    """An optimizer that leaves alone what took no part in an update.

    A training step passes over the gradients twice: once for their norm, from which the search for zeros follows for
    free, and once to update. ``multiply_grads`` and the clipping only change a factor that the update applies, so that
    ``.grad`` holds unscaled gradients until ``step`` (as with fairseq's fp16 optimizers).

    Args:
        cfg: its options.
        params: what is trained.

    Attributes:
        zeros_are_none: whether ``step`` looks for gradients of zeros.
        may_rest: where it does not, parameters of modules that no update has to use, such as experts; a module whose
            gradients are all zeros stays as it is, and nothing waits for the device to find out. None until it is said.
    """

    # ``step`` after ``clip_grad_norm`` changes nothing if the norm is not finite; nobody has to look in between.
    skips_infinite = True

    def __init__(self, cfg: Any, params: Collection[Tensor]) -> None:
        super().__init__(cfg)
        self._optimizer = self.torch_optimizer(params)
        self.zeros_are_none = True
        self.may_rest: Sequence[Sequence[Tensor]] | None = None
        self._factor: float | Tensor = 1.0
        self._active: list[list[Tensor]] | None = None  # as clip_grad_norm found them
        self._measured: _Measured | None = None
        self._found_inf: Tensor | None = None
        self._used: list[list[Tensor]] | None = None  # by the last step; None if there may be other gradients

    @property
    def lr(self) -> float:
        """The learning rate with which a run begins."""
        rates: Any = self.cfg.lr
        return float(rates if isinstance(rates, float) else rates[0])

    @abstractmethod
    def torch_optimizer(self, params: Collection[Tensor]) -> TorchOptimizer:
        """What makes the updates, with the arguments ``optimizer_config``."""

    def multiply_grads(self, c: float | Tensor) -> None:
        """Multiplies the gradients by ``c``, when ``step`` comes."""
        self._factor = self._factor * c

    def clip_grad_norm(self, max_norm: float, aggregate_norm_fn: Callable[[Tensor], Tensor] | None = None) -> Tensor:
        """Clips the gradients to an L2 norm of ``max_norm`` (0: not), when ``step`` comes.

        Returns:
            The norm before clipping, a scalar tensor on the gradients' device.
        """
        self._active = self._optimizer.active()
        grads = _gradients(self._active)
        if not grads:
            first = next(iter(self.params), None)
            return torch.zeros((), device=None if first is None else first.device)
        norms = _norms(grads, 2)
        if self.zeros_are_none:
            self._measured = _Measured(grads, [grad._version for grad in grads], norms)
        total = torch.linalg.vector_norm(norms) * self._factor
        if aggregate_norm_fn is not None:
            total = aggregate_norm_fn(total)
        if max_norm > 0:
            self._factor = self._factor * (float(max_norm) / (total + 1e-6)).clamp(max=1)
        self._found_inf = (~torch.isfinite(total)).float()
        return total

    def step(
        self, closure: Callable[[], Any] | None = None, scale: float | Tensor = 1.0, groups: object = None
    ) -> None:
        """One update with gradients divided by ``scale``. ``groups``, an option of fairseq's trainer, is not used."""
        active = self._optimizer.active() if self.zeros_are_none or self._active is None else self._active
        if self.zeros_are_none:
            active = self._drop_zero_gradients(active)
        apart = [] if self.zeros_are_none or closure else self._resting()
        self._optimizer.step(closure, scale / self._factor, None if closure else active, self._found_inf, apart)
        self._forget()
        self._used = None if closure else active

    def zero_grad(self) -> None:
        """Forgets all gradients; a parameter that gets none until ``step`` then has ``None``."""
        for params in self._optimizer.active() if self._used is None else self._used:
            for p in params:
                p.grad = None
        self._forget()

    def backward(self, loss: Tensor) -> None:
        """Adds the gradients of a loss."""
        self._used = None
        super().backward(loss)

    def _forget(self) -> None:
        self._factor = 1.0
        self._active = self._measured = self._found_inf = self._used = None

    def _resting(self) -> list[Guarded]:
        """The modules that may rest, each with whether it does."""
        modules = [[p for p in module if p.grad is not None] for module in self.may_rest or ()]
        modules = [module for module in modules if module]
        if not modules:
            return []
        peaks = _norms(_gradients(modules), float("inf")).split([len(module) for module in modules])
        rest = _norms(list(peaks), float("inf")) == 0  # a number that is not finite is none that rests
        flags = (rest if self._found_inf is None else rest.logical_or(self._found_inf)).float().unbind()
        return [Guarded(module, flag) for module, flag in zip(modules, flags, strict=True)]

    def _drop_zero_gradients(self, active: list[list[Tensor]]) -> list[list[Tensor]]:
        grads = _gradients(active)
        if not grads:
            return active
        known = self._measured is not None and self._measured.hold_for(grads)
        norms = self._measured.norms if known and self._measured is not None else _norms(grads, 2)
        suspects = [p for p, norm in zip(chain(*active), norms.tolist(), strict=True) if norm == 0.0]
        if not suspects:
            return active
        # Squares of numbers below 1e-23 are zero in float32; the largest absolute value tells for certain.
        peaks = _norms(_gradients([suspects]), float("inf")).tolist()
        for p, peak in zip(suspects, peaks, strict=True):
            if peak == 0.0:
                p.grad = None
        return [[p for p in params if p.grad is not None] for params in active]


def _gradients(params: list[list[Tensor]]) -> list[Tensor]:
    """The gradients of parameters that have one."""
    return [p.grad for p in chain(*params) if p.grad is not None]


def _norms(grads: list[Tensor], order: float) -> Tensor:
    """The norm of each gradient, accumulated in float32: ``[len(grads)]``, on their device."""
    half = any(grad.dtype in HALF for grad in grads)
    norms = torch._foreach_norm(grads, order, dtype=torch.float32 if half else None)
    return torch.stack(norms)
