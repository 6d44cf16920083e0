"""The slots of an encoder that a variant may fill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from skill_plugin.nn.attention import SelfAttention
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.layer_norm import LayerNorm
from skill_plugin.variants.shape import Shape


@dataclass(frozen=True)
class ExpertOptions:
    """How an expert model differs from the published one; other variants have no use for it.

    Attributes:
        number: experts of a layer; None = the published number.
        per_token: experts of a token; None = the published number.
        layers: numbers, from 0 at the bottom, of the layers that have experts; None = all, as published.
        scale: what a chosen expert's output is multiplied by, one of ``nn.experts.routing.SCALES``, or ``paper``.
        noise: the gate's logits have noise while training.
    """

    number: int | None = None
    per_token: int | None = None
    layers: tuple[int, ...] | None = None
    scale: str = "paper"
    noise: bool = False


@dataclass(frozen=True)
class ConditionalOptions:
    """How a conditional model differs from the published one; other variants have no use for it.

    Attributes:
        modules: which of ``variants.ca_mtl.MODULES`` it has; None = all.
        length: L, positions of a sequence that conditional attention knows.
        full_block: attention's matrix is one block in place of some on the diagonal.
        form: of the bottleneck, ``base`` or ``large``, or ``paper``: the one that was published for the size.
    """

    modules: tuple[str, ...] | None = None
    length: int = 128
    full_block: bool = False
    form: str = "paper"


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
    experts: ExpertOptions = ExpertOptions()
    embeddings: tuple[str, ...] = ()
    conditional: ConditionalOptions = ConditionalOptions()


@dataclass(frozen=True)
class Slots:
    """Makers of one layer's modules.

    Attributes:
        attention, feed_forward, norm: make a module that maps (x [N, D], batch) to [N, D].
    """

    attention: Callable[[], nn.Module]
    feed_forward: Callable[[], nn.Module]
    norm: Callable[[], nn.Module]


def dense_slots(shape: Shape) -> Slots:
    """The plain Transformer layer, from which every variant starts."""
    return Slots(
        attention=lambda: SelfAttention(shape.width, shape.heads, shape.attention_dropout),
        feed_forward=lambda: FeedForward(shape.width, shape.inner),
        norm=lambda: LayerNorm(shape.width, eps=shape.layer_norm_eps),
    )
