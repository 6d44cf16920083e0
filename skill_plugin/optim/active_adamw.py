"""AdamW over the parameters that have a gradient, by torch's fused kernel, with float32 moments for every parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import Tensor

from skill_plugin.nn.element_parts import element_parts
from skill_plugin.optim.guarded import HALF, gradient
from skill_plugin.optim.torch_optimizer import Part, TorchOptimizer

CHUNK = 1 << 24  # elements of half-precision parameters that are updated at a time through float32 copies
KNOWN = 1024  # sets of active parameters whose moments are kept at hand


class _Moments(NamedTuple):
    """The states of some parameters, side by side."""

    averages: list[Tensor]
    squares: list[Tensor]
    steps: list[Tensor]


@dataclass(frozen=True)
class _Alike:
    """Parameters of one type and learning rate that are updated in one call.

    Attributes:
        group: of parameters, with the options.
        factor: what the group's learning rate is multiplied by.
        params: those that have a gradient.
        moments: their states.
        flag: as of ``Part``.
    """

    group: dict[str, Any]
    factor: float
    params: list[Tensor]
    moments: _Moments
    flag: Tensor | None

    def update(self, grad_scale: Tensor | None) -> None:
        """Moves them, those of half precision through float32 copies, and their moments."""
        half = self.params[0].dtype in HALF
        values = [p.float() for p in self.params] if half else self.params
        beta1, beta2 = self.group["betas"]
        torch._fused_adamw_(
            values,
            _laid_out_as(values, self.params),
            self.moments.averages,
            self.moments.squares,
            [],
            self.moments.steps,
            lr=self.group["lr"] * self.factor,
            beta1=beta1,
            beta2=beta2,
            weight_decay=self.group["weight_decay"],
            eps=self.group["eps"],
            amsgrad=False,
            maximize=False,
            grad_scale=grad_scale,
            found_inf=self.flag,
        )
        if half:
            torch._foreach_copy_(self.params, values)


class ActiveAdamW(TorchOptimizer):
    """AdamW (Loshchilov and Hutter, 2019); a parameter without a gradient keeps its value, moments and step count.

    float32 parameters go through torch's fused kernel in one call. For float16 and bfloat16 ones the moments are
    float32 as well, and the update is computed in float32 from copies that exist for ``CHUNK`` elements at a time.

    Args:
        params: tensors or groups of them, as for every torch optimizer.
        lr, betas, eps, weight_decay: as for ``torch.optim.AdamW``; the decay is decoupled from the gradient. A
            parameter may have some times the rate (``optim_overrides``), and with it as many times the decay.
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "fused": True})
        self._known: dict[tuple[int, ...], _Moments] = {}
        every = chain.from_iterable(group["params"] for group in self.param_groups)
        self._factors = {id(p): found for p in every if (found := _rate_factor(p)) != 1.0}

    def update(self, parts: Sequence[Part], scale: float | Tensor) -> None:
        """As of every optimizer here."""
        alike: list[_Alike] = []
        for group, params, flag in parts:
            for factor, same in self._by_factor(params):
                alike += [_Alike(group, factor, part, self._moments(part), flag) for part in _alike(same)]
        if not alike:
            return
        steps = [step for one in alike for step in one.moments.steps]
        torch._foreach_add_(steps, 1)
        grad_scale = _as_grad_scale(scale, steps[0].device)
        for one in alike:
            one.update(grad_scale)
        guarded = [(step, one.flag) for one in alike if one.flag is not None for step in one.moments.steps]
        if guarded:  # a step that was not made does not count
            torch._foreach_sub_([step for step, _ in guarded], [flag for _, flag in guarded])

    def _by_factor(self, params: list[Tensor]) -> Iterable[tuple[float, list[Tensor]]]:
        """Parameters by what their learning rate is multiplied by."""
        if not self._factors:
            return [(1.0, params)]
        found: dict[float, list[Tensor]] = {}
        for p in params:
            found.setdefault(self._factors.get(id(p), 1.0), []).append(p)
        return found.items()

    def _moments(self, params: list[Tensor]) -> _Moments:
        """Looked up once for each set of parameters, as long as no more than ``KNOWN`` take turns."""
        key = tuple(map(id, params))
        found = self._known.get(key)
        if found is None:
            if len(self._known) == KNOWN:
                del self._known[next(iter(self._known))]
            states = [self._state_of(p) for p in params]
            names = ("exp_avg", "exp_avg_sq", "step")
            found = self._known[key] = _Moments(*([state[name] for state in states] for name in names))
        return found

    def _state_of(self, parameter: Tensor) -> dict[str, Tensor]:
        state: dict[str, Tensor] = self.state[parameter]
        if not state:
            dtype = torch.float32 if parameter.dtype in HALF else parameter.dtype
            state["step"] = torch.zeros((), dtype=torch.float32, device=parameter.device)
            state["exp_avg"] = torch.zeros_like(parameter, dtype=dtype)
            state["exp_avg_sq"] = torch.zeros_like(parameter, dtype=dtype)
        return state

    def sizes(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Sequence[int]]:
        """As of every optimizer here."""
        return {"step": (), "exp_avg": parameter.shape, "exp_avg_sq": parameter.shape}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """As of every optimizer here."""
        super().load_state_dict(state_dict)
        self._known.clear()


def _rate_factor(parameter: Tensor) -> float:
    """What ``variants.learning_rates`` noted at a parameter."""
    factor: float = getattr(parameter, "optim_overrides", {}).get("lr_factor", 1.0)
    return factor


def _alike(params: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    """Parameters of one type and device; of half-precision ones as many as are copied at a time."""
    found: dict[tuple[torch.dtype, torch.device], list[Tensor]] = {}
    for p in params:
        found.setdefault((p.dtype, p.device), []).append(p)
    for (dtype, _), own in found.items():
        if dtype in HALF:
            yield from map(list, element_parts(own, CHUNK))
        else:
            yield own


def _laid_out_as(values: list[Tensor], params: list[Tensor]) -> list[Tensor]:
    """The gradients in the values' types and orders of memory: the fused kernel on CPU walks both side by side."""
    return [
        grad if grad.dtype == value.dtype and grad.stride() == value.stride() else torch.empty_like(value).copy_(grad)
        for value, grad in zip(values, map(gradient, params), strict=True)
    ]


def _as_grad_scale(scale: float | Tensor, device: torch.device) -> Tensor | None:
    if isinstance(scale, Tensor):
        return scale.to(device, torch.float32).reshape(())
    # filled there: a copy from the host would wait for the device
    return None if scale == 1.0 else torch.full((), scale, dtype=torch.float32, device=device)
