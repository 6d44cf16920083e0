"""What the torch optimizers of this plugin have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from skill_plugin.optim.float32_states import take_float32
from skill_plugin.optim.guarded import Guarded, by_flag, with_gradient


class Part(NamedTuple):
    """Parameters of a group that are updated, or not, by one flag.

    Attributes:
        group: with the options.
        params: those that have a gradient.
        flag: a float32 scalar on their device; where it is 1, nothing changes. None: all change.
    """

    group: dict[str, Any]
    params: list[Tensor]
    flag: Tensor | None


class TorchOptimizer(torch.optim.Optimizer, ABC):
    """An optimizer in which a parameter without a gradient keeps its value, moments and step count.

    Its settings have ``fused``, by which torch keeps step counts beside their parameters when it loads a state.
    """

    # What fairseq's wrappers ask an optimizer.
    supports_memory_efficient_fp16 = True
    supports_step_with_scale = True  # gradients are divided by the loss scale in float32
    supports_flat_params = False  # one flat tensor has neither inactive parts nor rows and columns
    disable_mem_eff_fp16_loading_hack = True  # load_state_dict keeps moments float32 by itself

    def active(self) -> list[list[Tensor]]:
        """The parameters of each group that have a gradient."""
        return [with_gradient(group["params"]) for group in self.param_groups]

    @torch.no_grad()
    def step(
        self,
        closure: Callable[[], Any] | None = None,
        scale: float | Tensor = 1.0,
        active: Sequence[Sequence[Tensor]] | None = None,
        found_inf: Tensor | None = None,
        apart: Sequence[Guarded] = (),
    ) -> Any:
        """One update with gradients divided by ``scale``, in place or not.

        Args:
            closure: computes the loss, and gradients.
            scale: what gradients are divided by.
            active: what ``active`` gives, where it was asked already.
            found_inf: a float32 scalar on the gradients' device; where it is 1, nothing changes.
            apart: parameters with a ``found_inf`` of their own.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        groups = zip(self.param_groups, self.active() if active is None else active, strict=True)
        parts = [Part(group, own, flag) for group, params in groups for own, flag in by_flag(params, found_inf, apart)]
        self.update(parts, scale)
        return loss

    @abstractmethod
    def update(self, parts: Sequence[Part], scale: float | Tensor) -> None:
        """Updates parameters by their gradients over ``scale``."""

    @abstractmethod
    def sizes(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Sequence[int]]:
        """The sizes of what is kept of a parameter of a group, by name."""

    @torch.no_grad()
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a saved state; moments of half-precision parameters stay float32, where torch would round them.

        Raises:
            ValueError: it lacks something of a parameter, or has it in another size.
        """
        super().load_state_dict(state_dict)
        for group in self.param_groups:
            for parameter in filter(self.state.get, group["params"]):
                state = self.state[parameter]
                for name, size in self.sizes(parameter, group).items():
                    if tuple(getattr(state.get(name), "shape", ())) != tuple(size) or name not in state:
                        raise ValueError(f"{name} of the optimizer's state is not that of its parameter")
        take_float32(self, state_dict)
