"""The part of an encoder that one active set uses, as an ordinary dense encoder that gives the same.

The mean of k feed-forward networks is one network k times as wide, a language's projections are ordinary ones, and a
norm, or a map, that one task embedding modulates is an ordinary one. Axes beside those of ``skill_plugin.nn``: F' width
of the widest feed-forward network of all layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.attention import SelfAttention
from skill_plugin.nn.conditional.alignment import ConditionalAlignment, SeparateAlignment
from skill_plugin.nn.conditional.encoder import ConditionalEncoder
from skill_plugin.nn.conditional.layer_norm import ConditionalLayerNorm
from skill_plugin.nn.conditional.linear import ConditionalLinear
from skill_plugin.nn.conditional.task_embeddings import TaskEmbedding
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.encoder_layer import EncoderLayer
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.layer_norm import LayerNorm
from skill_plugin.nn.linear import Linear
from skill_plugin.nn.skills.attention import LanguageAttention, LanguageProjection
from skill_plugin.nn.skills.feed_forward import SkillFeedForward


class NotDenseError(Exception):
    """A part of the encoder does what no dense encoder does, or is not known here; the message names it."""


def check_known(module: nn.Module, place: str, *known: type[nn.Module]) -> None:
    """Refuses a module of another class, also of one that is derived: it may compute something else.

    Args:
        module: a part of the encoder.
        place: what stands there in a dense encoder, for the message.
        known: the classes.

    Raises:
        NotDenseError: another class.
    """
    if type(module) not in known:
        raise NotDenseError(f"{type(module).__name__} in place of {place}")


def dense_slice(encoder: Encoder, active: ActiveSet) -> tuple[Encoder, int]:
    """The encoder that a corpus with this active set uses, without dropout.

    Args:
        encoder: without adapters.
        active: what the corpus activates.

    Returns:
        The dense encoder, which shares no memory with the other, and F'. Layers whose own network is narrower have
        units that give zero.

    Raises:
        NotDenseError: experts, conditional attention, a bottleneck or an alignment, or a class that is not known here.
    """
    check_known(encoder, "the encoder", Encoder, ConditionalEncoder)
    if isinstance(encoder, ConditionalEncoder) and (encoder.alignment or encoder.skip_path):
        raise NotDenseError("conditional alignment" if encoder.alignment else "a skip path")
    z = task_embedding(encoder, active)
    of_layers = [active_networks(layer.feed_forward, active) for layer in _layers(encoder)]
    inner = max(sum(one.fc1.out_features for one in networks) for networks in of_layers)
    with torch.no_grad():
        layers = [
            EncoderLayer(
                _attention(layer.attention, active),
                joined_networks(networks, inner),
                plain_norm(layer.attention_norm, z),
                plain_norm(layer.feed_forward_norm, z),
                dropout=0.0,
            )
            for layer, networks in zip(_layers(encoder), of_layers, strict=True)
        ]
        tables = encoder.embeddings
        types = 0 if tables.token_types is None else tables.token_types.num_embeddings
        sizes = tables.tokens.num_embeddings, tables.positions.num_embeddings, types, tables.tokens.embedding_dim
        embeddings = type(tables)(*sizes, tables.norm.eps, dropout=0.0)
        embeddings.load_state_dict(tables.state_dict())
    return Encoder(embeddings, layers), inner


def _layers(encoder: Encoder) -> list[EncoderLayer]:
    return [cast(EncoderLayer, layer) for layer in encoder.layers]


def task_embedding(encoder: Encoder, active: ActiveSet) -> Tensor | None:
    """z [D], for an encoder that is conditioned on one."""
    if not isinstance(encoder, ConditionalEncoder):
        return None
    (row,) = encoder.task_embeddings.rows.named([active.embedding])
    return cast(TaskEmbedding, row).weight


def active_networks(slot: nn.Module, active: ActiveSet) -> list[FeedForward]:
    """The feed-forward networks of which a layer takes the mean.

    Raises:
        NotDenseError: it does something else.
    """
    check_known(slot, "a feed-forward network", FeedForward, SkillFeedForward)
    if isinstance(slot, FeedForward):
        return [slot]
    assert isinstance(slot, SkillFeedForward)
    found = slot.task_skills.named(active.skills)
    if slot.language_skills:
        found += slot.language_skills.named([active.language])
    return [cast(FeedForward, one) for one in found]


@torch.no_grad()
def joined_networks(networks: Sequence[FeedForward], inner: int | None = None) -> FeedForward:
    """One network that gives the mean of several: their maps side by side, the second ones divided by their number.

    Args:
        networks: one or more.
        inner: its width, with units that give zero; None for no more than it needs.
    """
    inner = inner or sum(one.fc1.out_features for one in networks)
    out = FeedForward(networks[0].fc1.in_features, inner)
    used = sum(one.fc1.out_features for one in networks)
    for parameter in out.parameters():
        parameter.zero_()
    out.fc1.weight[:used] = torch.cat([one.fc1.weight for one in networks])
    out.fc1.bias[:used] = torch.cat([one.fc1.bias for one in networks])
    out.fc2.weight[:, :used] = torch.cat([one.fc2.weight for one in networks], 1) / len(networks)
    out.fc2.bias.copy_(torch.stack([one.fc2.bias for one in networks]).mean(0))
    return out


def _attention(slot: nn.Module, active: ActiveSet) -> SelfAttention:
    check_known(slot, "attention", SelfAttention, LanguageAttention)
    assert isinstance(slot, SelfAttention | LanguageAttention)
    out = SelfAttention(slot.output.in_features, slot.heads, dropout=0.0)
    out.qkv.load_state_dict(projection(slot, active).state_dict())
    out.output.load_state_dict(slot.output.state_dict())
    return out


def projection(slot: SelfAttention | LanguageAttention, active: ActiveSet) -> nn.Linear:
    """The projection of queries, keys and values."""
    if isinstance(slot, LanguageAttention):
        return cast(LanguageProjection, slot.languages.named([active.language])[0]).qkv
    return slot.qkv


@torch.no_grad()
def plain_linear(slot: ConditionalLinear, z: Tensor) -> nn.Linear:
    """The map of one task embedding z [D]."""
    scale, shift = (values[0] for values in slot.modulation(z[None]))
    out = Linear(slot.weight.shape[1], slot.weight.shape[0])
    out.weight.copy_(slot.weight * scale[:, None])
    out.bias.copy_(shift)
    return out


@torch.no_grad()
def plain_alignment(alignment: ConditionalAlignment | SeparateAlignment, active: ActiveSet, z: Tensor) -> nn.Linear:
    """The map by which a corpus is aligned."""
    if isinstance(alignment, ConditionalAlignment):
        return plain_linear(alignment, z)
    out = Linear(len(z), len(z))
    out.weight.copy_(alignment.matrix(active.embedding))
    nn.init.zeros_(out.bias)
    return out


@torch.no_grad()
def plain_norm(slot: nn.Module, z: Tensor | None) -> LayerNorm:
    """The norm of one task embedding z [D].

    Raises:
        NotDenseError: it does something else.
    """
    check_known(slot, "a norm", LayerNorm, ConditionalLayerNorm)
    assert isinstance(slot, nn.LayerNorm)
    out = LayerNorm(slot.normalized_shape[0], eps=slot.eps)
    out.weight.copy_(slot.weight)
    out.bias.copy_(slot.bias)
    if isinstance(slot, ConditionalLayerNorm):
        assert z is not None
        scale, shift = slot.modulation(z[None])
        out.weight.copy_((slot.weight * scale + shift)[0])
    return out
