"""Fresh weights as BERT draws them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn
from torch.overrides import TorchFunctionMode

STANDARD_DEVIATION = 0.02  # of BERT, RoBERTa and XLM-R


def initialise(module: nn.Module) -> None:
    """Draws every linear map and embedding of a module from N(0, 0.02), with biases at 0 and norms at the identity."""
    for part in module.modules():
        if isinstance(part, nn.Linear):
            nn.init.normal_(part.weight, std=STANDARD_DEVIATION)
            nn.init.zeros_(part.bias)
        elif isinstance(part, nn.Embedding):
            nn.init.normal_(part.weight, std=STANDARD_DEVIATION)


class NoFreshWeights(TorchFunctionMode):
    """A context in which ``torch.nn.init`` leaves weights as they are.

    For models whose weights are all loaded, and for those on the meta device, which have none (where drawing them would
    import torch's compiler).
    """

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if getattr(func, "__module__", None) == nn.init.__name__:
            return args[0] if args else (kwargs or {})["tensor"]
        return func(*args, **(kwargs or {}))
