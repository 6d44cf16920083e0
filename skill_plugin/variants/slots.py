"""The slots of an encoder that a variant may fill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import nn

from skill_plugin.nn.attention import SelfAttention
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.layer_norm import LayerNorm
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.expert_options import ExpertOptions


@dataclass(frozen=True)
class Inventory:
    """What a model has for its corpora to activate: the skills that a corpora file declares, in its order, and more.

    Attributes:
        skills: names of the task skills.
        languages: names of the language skills.
        gates: names of the gates of the run's corpora.
        experts: options of the expert models.
        embeddings: names of the task embeddings of the run's corpora.
        conditional: options of the conditional models.
    """

    skills: tuple[str, ...]
    languages: tuple[str, ...]
    gates: tuple[str, ...] = ()
    experts: ExpertOptions = field(default=ExpertOptions())
    embeddings: tuple[str, ...] = ()
    conditional: ConditionalOptions = field(default=ConditionalOptions())


@dataclass(frozen=True)
class Slots:
    """Makers of one layer's modules.

    Attributes:
        attention, feed_forward, norm: make a module that maps (x [N, D], batch) to [N, D].
    """

    attention: Callable[[], nn.Module]
    feed_forward: Callable[[], nn.Module]
    norm: Callable[[], nn.Module]


def dense_slots(shape: EncoderShape) -> Slots:
    """The plain Transformer layer, from which every variant starts."""
    return Slots(
        attention=lambda: SelfAttention(shape.width, shape.heads, shape.attention_dropout),
        feed_forward=lambda: FeedForward(shape.width, shape.inner),
        norm=lambda: LayerNorm(shape.width, eps=shape.layer_norm_eps),
    )
