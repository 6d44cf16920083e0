"""Adafactor over the parameters that have a gradient; tensors of one shape are updated together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import torch
from torch import Tensor

from skill_plugin.nn.element_parts import element_parts
from skill_plugin.optim.guarded import HALF, gradient
from skill_plugin.optim.torch_optimizer import Part, TorchOptimizer

CHUNK = 1 << 24  # elements of parameters that are updated at a time; a larger one is alone


class ActiveAdafactor(TorchOptimizer):
    """Adafactor (Shazeer and Stern, 2018); a parameter without a gradient keeps its value, moments and step count.

    The numbers are those of fairseq's and transformers'. These make some fifteen calls for every tensor, of which a
    text-to-text model has hundreds; here as many are made for all tensors of one shape.

    Args:
        params: tensors or groups of them, as for every torch optimizer.
        lr: the learning rate, which ``relative_step`` does not read.
        eps: what is added to squared gradients, and the least size of a parameter for ``scale_parameter``.
        clip_threshold: the greatest root mean square of an update before the learning rate.
        decay_rate: the second moment of step t is kept by 1 - t ** decay_rate.
        beta1: of the first moment; None for none.
        weight_decay: decoupled from the gradient.
        scale_parameter: multiply the learning rate by the root mean square of each parameter.
        relative_step: 1 / sqrt(t), at most 1e-2, in place of the learning rate.
        warmup_init: with ``relative_step``, at most 1e-6 t.
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        eps: tuple[float, float] = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = -0.8,
        beta1: float | None = None,
        weight_decay: float = 0.0,
        scale_parameter: bool = False,
        relative_step: bool = False,
        warmup_init: bool = False,
    ) -> None:
        settings = {
            "lr": lr, "eps": eps, "clip_threshold": clip_threshold, "decay_rate": decay_rate, "beta1": beta1,
            "weight_decay": weight_decay, "scale_parameter": scale_parameter, "relative_step": relative_step,
            "warmup_init": warmup_init, "fused": True,
        }  # fmt: skip
        super().__init__(params, settings)

    def update(self, parts: Sequence[Part], scale: float | Tensor) -> None:
        """As of every optimizer here."""
        for group, params, flag in parts:
            alike = list(_alike(params))
            for device in dict.fromkeys(own[0].device for own in alike):
                here = [own for own in alike if own[0].device == device]
                states = [[self._state_of(p, group) for p in own] for own in here]
                steps = _Steps.next(group, list(chain(*states)), None if flag is None else flag.bool())
                for own, theirs, step in zip(here, states, steps.split(list(map(len, here))), strict=True):
                    _Alike(group, own, theirs, step).update(scale)

    def sizes(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Sequence[int]]:
        """As of every optimizer here."""
        size = parameter.shape
        rows_and_columns = {"exp_avg_sq_row": size[:-1], "exp_avg_sq_col": (*size[:-2], *size[-1:])}
        second = {"exp_avg_sq": size} if len(size) < 2 else rows_and_columns
        return {"step": (), **second, **({} if group["beta1"] is None else {"exp_avg": size})}

    def _state_of(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        state: dict[str, Tensor] = self.state[parameter]
        if not state:
            for name, size in self.sizes(parameter, group).items():
                dtype = torch.float32 if name == "step" else _computed_in(parameter)
                state[name] = torch.zeros(size, dtype=dtype, device=parameter.device)
        return state


@dataclass(frozen=True)
class _Steps:
    """Numbers of n parameters for the step that they are at, of all of a group made together.

    Attributes:
        kept: which part of the second moment is kept [n]; all of it where nothing changes.
        rates: the learning rates, before ``scale_parameter`` [n]; 0 where nothing changes.
        flag: a bool on their device; where it is true, nothing changes. None: all change.
    """

    kept: Tensor
    rates: Tensor
    flag: Tensor | None

    @classmethod
    def next(cls, group: dict[str, Any], states: Sequence[dict[str, Tensor]], flag: Tensor | None) -> _Steps:
        """Those of the next step, which the states remember."""
        old = _together([state["step"] for state in states])
        t = old + 1
        kept, rates = 1 - t.pow(group["decay_rate"]), torch.full_like(t, group["lr"])
        if group["relative_step"]:
            most = 1e-6 * t if group["warmup_init"] else torch.full_like(t, 1e-2)
            rates = torch.minimum(most, t.rsqrt())
        if flag is not None:
            t, kept, rates = torch.where(flag, old, t), kept.masked_fill_(flag, 1.0), rates.masked_fill_(flag, 0.0)
        torch._foreach_copy_([state["step"] for state in states], list(t.unbind()))
        return cls(kept, rates, flag)

    def split(self, sizes: list[int]) -> Iterator[_Steps]:
        """Those of the first parameters, of the next ones, …"""
        for kept, rates in zip(self.kept.split(sizes), self.rates.split(sizes), strict=True):
            yield _Steps(kept, rates, self.flag)


@dataclass(frozen=True)
class _Alike:
    """n parameters of one shape and type, updated together.

    Attributes:
        group: with the options.
        params: those that have a gradient.
        states: theirs.
        steps: of these parameters.
    """

    group: dict[str, Any]
    params: list[Tensor]
    states: list[dict[str, Tensor]]
    steps: _Steps

    def update(self, scale: float | Tensor) -> None:
        """Moves the parameters and their states, by gradients over ``scale``."""
        flag, clip = self.steps.flag, self.group["clip_threshold"]
        grads = _together([gradient(p) for p in self.params]).to(_computed_in(self.params[0]))
        if isinstance(scale, Tensor) or scale != 1.0:
            grads = grads / scale
        if flag is not None:  # no running mean takes in what is not finite
            grads = grads.masked_fill(flag, 0.0)
        squares = grads.square().add_(self.group["eps"][0])
        if grads.dim() > 2:
            rows = self._averaged("exp_avg_sq_row", squares.mean(-1))
            columns = self._averaged("exp_avg_sq_col", squares.mean(-2))
            del squares
            share = (rows / rows.mean(-1, keepdim=True)).rsqrt_()
            update = torch.mul(share.unsqueeze(-1), columns.unsqueeze(-2).rsqrt()).mul_(grads)
        else:
            update = self._averaged("exp_avg_sq", squares).rsqrt().mul_(grads)
        values, rates = _together(self.params).to(grads.dtype), self.steps.rates.to(grads.dtype)
        if self.group["scale_parameter"]:
            rates = rates * _sizes(values).clamp_(min=self.group["eps"][1])
        update.mul_(_beside(rates / _sizes(update, clip).clamp_(min=1.0), update))
        if flag is not None:  # the second moments of a first step are 0, and their inverse is not finite
            update.masked_fill_(flag, 0.0)
        if self.group["beta1"] is not None:
            update = self._first_moment(update, self.group["beta1"])
        if self.group["weight_decay"]:
            values.mul_(_beside(1 - self.group["weight_decay"] * rates, values))
        _put_back(values.sub_(update), self.params)

    def _first_moment(self, update: Tensor, beta: float) -> Tensor:
        """The running mean of updates; 0 where nothing changes."""
        flag, kept = self.steps.flag, torch.full_like(self.steps.kept, beta)
        if flag is None:
            return self._averaged("exp_avg", update, kept)
        return self._averaged("exp_avg", update, kept.masked_fill_(flag, 1.0)).masked_fill(flag, 0.0)

    def _averaged(self, name: str, new: Tensor, kept: Tensor | None = None) -> Tensor:
        """The running means of a state with new values [n, …], of which a part [n] of the old ones is kept."""
        states = [state[name] for state in self.states]
        part = (self.steps.kept if kept is None else kept).to(new.dtype)
        found = new.lerp(_together(states), _beside(part, new))
        torch._foreach_copy_(states, list(found.unbind()))
        return found


def _alike(params: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    """Parameters of one shape, type and device, as many as are updated at a time."""
    found: dict[tuple[torch.Size, torch.dtype, torch.device], list[Tensor]] = {}
    for p in params:
        found.setdefault((p.shape, p.dtype, p.device), []).append(p)
    for own in found.values():
        yield from element_parts(own, CHUNK)


def _computed_in(parameter: Tensor) -> torch.dtype:
    return torch.float32 if parameter.dtype in HALF else parameter.dtype


def _together(tensors: Sequence[Tensor]) -> Tensor:
    """n tensors of one shape as one [n, …]; of a single one a view."""
    return tensors[0].unsqueeze(0) if len(tensors) == 1 else torch.stack(list(tensors))


def _put_back(values: Tensor, tensors: Sequence[Tensor]) -> None:
    """What ``_together`` took, where it is not a view."""
    if values.data_ptr() != tensors[0].data_ptr():
        torch._foreach_copy_(list(tensors), list(values.unbind()))


def _beside(numbers: Tensor, values: Tensor) -> Tensor:
    """Numbers [n] in the shape in which they multiply values [n, …]."""
    return numbers.reshape(-1, *([1] * (values.dim() - 1)))


def _sizes(values: Tensor, unit: float = 1.0) -> Tensor:
    """The root mean square of each of n tensors [n, …], in units of ``unit``."""
    flat = values.flatten(1) if values.dim() > 1 else values[:, None]
    return torch.linalg.vector_norm(flat, dim=1) / (unit * flat.shape[1] ** 0.5)
