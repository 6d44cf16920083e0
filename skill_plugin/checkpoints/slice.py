"""The slice of a trained model that serves one corpus: an ordinary dense model, as a checkpoint of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.errors import InputError, nearest
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.dense_slice import NotDenseError, dense_slice
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.expert_options import ExpertOptions
from skill_plugin.variants.t5_shape import T5Shape


def take_slice(trained: Checkpoint, corpus: str, active: ActiveSet | None = None) -> Checkpoint:
    """What a corpus uses of a model, in the variant ``dense``: its skills as one wider feed-forward network a layer.

    A model that answers with texts has nothing of one corpus alone: its slice is all of it. Adapters are merged, and
    what holds the heads' last maps (R4F) is divided out.

    Args:
        trained: the whole model.
        corpus: one of its corpora.
        active: what it activates, where that is not what it was trained with.

    Raises:
        InputError: not a corpus of this model, or it uses what no dense model has.
    """
    bundle = trained.bundle
    if corpus not in bundle.labels:
        raise InputError(f"the model has no corpus {corpus!r}{nearest(corpus, bundle.labels)}", bundle.file)
    plain = trained.plain()
    own: dict[str, Any] = {
        "labels": {corpus: bundle.labels[corpus]},
        "facts": {corpus: bundle.facts[corpus]},
        "calibrations": {corpus: bundle.calibration(corpus)},
        "average_weights": {name: weight for name, weight in bundle.average_weights.items() if name == corpus},
        "freeze": "none",
    }
    if isinstance(bundle.shape, T5Shape):
        return Checkpoint(replace(plain.bundle, **own), plain.state)
    model = plain.model()
    try:
        encoder, inner = dense_slice(model.encoder, active or bundle.active_set(corpus))
    except NotDenseError as error:
        raise InputError(
            f"corpus {corpus!r} of {bundle.variant} has no dense slice: {error} computes what no dense layer does",
            bundle.file,
        ) from None
    head = bundle.corpus(corpus).head
    sliced = replace(
        plain.bundle,
        variant="dense",
        shape=replace(bundle.encoder_shape, inner=inner),
        skill_layers=None,
        experts=ExpertOptions(),
        conditional=ConditionalOptions(),
        **own,
    )
    return Checkpoint(sliced, MultitaskModel(encoder, {head: model.heads[head]}).state_dict())
