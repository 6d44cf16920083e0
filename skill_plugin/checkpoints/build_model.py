"""From a bundle to a model with fresh weights."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import torch

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.errors import InputError
from skill_plugin.nn.initialise import NoFreshWeights, initialise
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.catalogue import MODELS
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.freezing import OLD, find_new, freeze_parameters
from skill_plugin.variants.lora import add_lora
from skill_plugin.variants.mt5 import build_mt5
from skill_plugin.variants.t5_shape import T5Shape


def build_model(bundle: Bundle, head_dropout: float = 0.1) -> MultitaskModel:
    """An encoder of the bundle's variant and shape with one head for every head name, or with a decoder.

    What the bundle freezes, and with adapters what they adapt, has no gradient.

    Raises:
        InputError: a corpus activates no task skill though the variant needs one; more layers with skills than layers;
            options of experts, of conditional modules or of adapters that do not fit; constrained or linear heads, but
            none that can be.
    """
    bundle.check_model(bundle.variant, MODELS, bundle.shape)
    if MODELS[bundle.variant].needs_task_skill:
        for name in bundle.labels:
            if not bundle.corpus(name).skills:
                raise InputError(
                    f"corpus {name!r} activates no task skill, and {bundle.variant} needs one: name it under 'skills'",
                    bundle.corpora_path,
                    bundle.corpus(name).line,
                )
    if isinstance(bundle.shape, T5Shape):
        model: MultitaskModel = build_mt5(bundle.shape)
    else:
        model = _build_with_heads(bundle, bundle.shape, head_dropout)
    if bundle.lora.rank:  # last, so that everything else is drawn as without adapters
        add_lora(model, bundle.lora)
    freeze_parameters(model, bundle.freeze, bundle.shape.layers, bundle.lora.rank > 0, bundle.new_parameters)
    return model


def _build_with_heads(bundle: Bundle, shape: EncoderShape, head_dropout: float) -> MultitaskModel:
    specs = bundle.heads()
    bundle.check_heads(specs.values(), dict.fromkeys(bundle.corpus(name).kind for name in bundle.labels))
    heads = {  # first, so that with one seed they are the same whatever the variant
        name: spec.make(shape.width, head_dropout, shape.layer_norm_eps, bundle.r4f, bundle.linear_heads)
        for name, spec in specs.items()
    }
    for head in heads.values():
        initialise(head)
    return MultitaskModel(build_encoder(bundle.variant, shape, bundle.inventory, bundle.skill_layers), heads)


def with_new_parameters(bundle: Bundle, initial: Collection[str]) -> Bundle:
    """The bundle, which with ``--freeze old`` knows what trains.

    Args:
        bundle: of a new run.
        initial: names of the weights that it starts from.
    """
    if bundle.freeze != OLD:
        return bundle
    with torch.device("meta"), NoFreshWeights():  # only names are read
        names = [name for name, _ in build_model(bundle).named_parameters()]
    return replace(bundle, new_parameters=find_new(names, initial))
