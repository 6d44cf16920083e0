"""AdamW over the parameters that have a gradient, by torch's fused kernel, with float32 moments for every parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import torch
from torch import Tensor
from torch.optim.adamw import adamw

HALF = {torch.float16, torch.bfloat16}
CHUNK = 1 << 24  # elements of half-precision parameters that are updated at a time through float32 copies


class ActiveAdamW(torch.optim.Optimizer):
    """AdamW (Loshchilov and Hutter, 2019); a parameter without a gradient keeps its value, moments and step count.

    float32 parameters go through torch's fused kernel in one call. For float16 and bfloat16 ones the moments are
    float32 as well, and the update is computed in float32 from copies that exist for ``CHUNK`` elements at a time.

    Args:
        params: tensors or groups of them, as for every torch optimizer.
        lr, betas, eps, weight_decay: as for ``torch.optim.AdamW``; the decay is decoupled from the gradient.
    """

    # What fairseq's wrappers ask an optimizer.
    supports_memory_efficient_fp16 = True
    supports_step_with_scale = True  # gradients are divided by the loss scale inside the kernel, in float32
    supports_flat_params = False  # in one flat tensor nobody could tell which part of it was inactive
    disable_mem_eff_fp16_loading_hack = True  # load_state_dict keeps moments float32 by itself

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        # `fused` in the defaults makes torch keep step counts beside their parameters when it loads a state.
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "fused": True})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None, scale: float | Tensor = 1.0) -> Any:
        """One update with gradients divided by ``scale``, in place or not."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            active = [p for p in group["params"] if p.grad is not None]
            whole = [p for p in active if p.dtype not in HALF]
            self._update(group, whole, whole, [_laid_out_as(p, p.grad) for p in whole], scale)
            for part in _chunks(p for p in active if p.dtype in HALF):
                values = [p.float() for p in part]
                self._update(
                    group, part, values, [_laid_out_as(v, p.grad) for v, p in zip(values, part, strict=True)], scale
                )
                torch._foreach_copy_(part, values)
        return loss

    def _update(
        self,
        group: dict[str, Any],
        params: list[Tensor],
        values: list[Tensor],
        grads: list[Tensor],
        scale: float | Tensor,
    ) -> None:
        """Moves ``values`` (the parameters themselves, or float32 copies) and the moments of ``params``."""
        if not params:
            return
        states = [self._state_of(p) for p in params]
        beta1, beta2 = group["betas"]
        adamw(
            values,
            grads,
            [state["exp_avg"] for state in states],
            [state["exp_avg_sq"] for state in states],
            [],
            [state["step"] for state in states],
            foreach=False,
            fused=True,
            grad_scale=_as_grad_scale(scale, params[0].device),
            amsgrad=False,
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            maximize=False,
        )

    def _state_of(self, parameter: Tensor) -> dict[str, Tensor]:
        state: dict[str, Tensor] = self.state[parameter]
        if not state:
            dtype = torch.float32 if parameter.dtype in HALF else parameter.dtype
            state["step"] = torch.zeros((), dtype=torch.float32, device=parameter.device)
            state["exp_avg"] = torch.zeros_like(parameter, dtype=dtype)
            state["exp_avg_sq"] = torch.zeros_like(parameter, dtype=dtype)
        return state

    @torch.no_grad()
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a saved state; moments of half-precision parameters stay float32, where torch would round them."""
        super().load_state_dict(state_dict)
        saved_order = chain.from_iterable(group["params"] for group in state_dict["param_groups"])
        own_order = chain.from_iterable(group["params"] for group in self.param_groups)
        for index, parameter in zip(saved_order, own_order, strict=True):
            saved = state_dict["state"].get(index)
            if saved is not None and parameter.dtype in HALF:
                for name in ("exp_avg", "exp_avg_sq"):
                    self.state[parameter][name] = saved[name].to(parameter.device, torch.float32, copy=True)


def _laid_out_as(value: Tensor, grad: Tensor | None) -> Tensor:
    """The gradient in the value's type and order of memory: the fused kernel on CPU walks both side by side."""
    assert grad is not None
    if grad.dtype == value.dtype and grad.stride() == value.stride():
        return grad
    return torch.empty_like(value).copy_(grad)


def _as_grad_scale(scale: float | Tensor, device: torch.device) -> Tensor | None:
    if isinstance(scale, Tensor):
        return scale.to(device, torch.float32).reshape(())
    return None if scale == 1.0 else torch.tensor(scale, dtype=torch.float32, device=device)


def _chunks(params: Iterable[Tensor]) -> Iterator[list[Tensor]]:
    part: list[Tensor] = []
    size = 0
    for p in params:
        if part and size + p.numel() > CHUNK:
            yield part
            part, size = [], 0
        part.append(p)
        size += p.numel()
    if part:
        yield part
