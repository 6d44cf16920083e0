"""The slots of an encoder that a variant may fill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from skill_plugin.nn.attention import SelfAttention
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.variants.shape import Shape


@dataclass(frozen=True)
class Inventory:
    """The skills that a corpora file declares, in its order.

    Attributes:
        skills: names of the task skills.
        languages: names of the language skills.
    """

    skills: tuple[str, ...]
    languages: tuple[str, ...]


@dataclass(frozen=True)
class Slots:
    """Makers of one layer's modules.

    Attributes:
        attention, feed_forward: make a module that maps (x [N, D], batch) to [N, D].
        norm: makes a module that maps [N, D] to [N, D].
    """

    attention: Callable[[], nn.Module]
    feed_forward: Callable[[], nn.Module]
    norm: Callable[[], nn.Module]


def dense_slots(shape: Shape) -> Slots:
    """The plain Transformer layer, from which every variant starts."""
    return Slots(
        attention=lambda: SelfAttention(shape.width, shape.heads, shape.attention_dropout),
        feed_forward=lambda: FeedForward(shape.width, shape.inner),
        norm=lambda: nn.LayerNorm(shape.width, eps=shape.layer_norm_eps),
    )
