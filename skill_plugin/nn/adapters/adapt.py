"""Puts adapters beside the linear maps of a module, and merges them into the maps again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torch import nn

from skill_plugin.nn.adapters.lora import LoraLinear
from skill_plugin.nn.linear import Linear


@dataclass(frozen=True)
class AdaptedParts:
    """Which parts of a linear map are adapted.

    Attributes:
        parts: numbers of the adapted parts, from 0.
        of: how many equal parts the map's outputs are cut into.
    """

    parts: tuple[int, ...] = (0,)
    of: int = 1


def adapt(module: nn.Module, targets: Mapping[str, AdaptedParts], rank: int, alpha: float, dropout: float) -> None:
    """Adapts every linear map of a module whose own name is among ``targets``, however deep it lies.

    Args:
        module: anything that holds linear maps.
        targets: which parts are adapted, by the map's own name (the last part of its full name).
        rank, alpha, dropout: as for ``LoraLinear``.
    """
    for parent in list(module.modules()):
        for name, child in parent.named_children():
            if name in targets and type(child) is Linear:
                target = targets[name]
                setattr(parent, name, LoraLinear(child, rank, alpha, dropout, target.parts, target.of))


def merge(module: nn.Module) -> None:
    """Makes every adapted map of a module a plain one that gives the same."""
    for parent in list(module.modules()):
        for name, child in parent.named_children():
            if isinstance(child, LoraLinear):
                setattr(parent, name, child.merged())
